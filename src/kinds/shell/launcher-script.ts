/**
 * Starts commands for the server. Forking a small process takes a fraction of the time that forking the server takes,
 * and does not hold it up. It reads requests from its input (the length of a request on a line, then its fields,
 * each ended by a zero byte) and tells on its output which process each became and how it ended. It ends with its
 * input; the commands do not.
 */
export const launcherScript = String.raw`
use strict; use warnings; use POSIX qw(:sys_wait_h setsid _exit);
$SIG{PIPE} = 'IGNORE'; $SIG{INT} = 'IGNORE'; $SIG{HUP} = 'IGNORE';
my ($buffer, $open) = ('', 1);
sub tell_server { syswrite(STDOUT, "$_[0]\n") }
sub reap { while ((my $pid = waitpid(-1, WNOHANG)) > 0) { tell_server("ended $pid " . ($? >> 8) . ' ' . ($? & 127)) } }
sub launch {
  my ($id, $cwd, $in, $out, $err, $count, @rest) = split /\0/, $_[0];
  my $pid = fork();
  return tell_server("failed $id $!") unless defined $pid;
  return tell_server("started $id $pid") if $pid;
  $SIG{$_} = 'DEFAULT' for qw(CHLD PIPE INT HUP);
  setsid();
  open(STDIN, (-p $in ? '+<' : '<'), $in) or _exit(126);
  open(STDOUT, '>>', $out) or _exit(126);
  open(STDERR, '>>', $err) or _exit(126);
  chdir($cwd) or do { print STDERR "cannot enter $cwd: $!\n"; _exit(126) };
  %ENV = map { split /=/, $_, 2 } splice(@rest, 0, $count);
  exec { $rest[0] } @rest or do { print STDERR "cannot run $rest[0]: $!\n"; _exit(127) };
}
$SIG{CHLD} = sub {};
while ($open) {
  my $ready = ''; vec($ready, fileno(STDIN), 1) = 1;
  if (select($ready, undef, undef, 0.5) > 0) {
    my $got = sysread(STDIN, $buffer, 65536, length $buffer);
    $open = 0 if defined $got && $got == 0;
    while ($buffer =~ /^(\d+)\n/ && length($buffer) >= length($1) + 1 + $1) {
      my $request = substr($buffer, length($1) + 1, $1);
      $buffer = substr($buffer, length($1) + 1 + $1);
      launch($request);
    }
  }
  reap();
}
`;

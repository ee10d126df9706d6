import { holderScript } from "./holder-script.ts";

/**
 * Starts commands for the server and is their parent. Forking a small process takes a fraction of the time that
 * forking the server takes, and does not hold it up. It reads requests from its input (the length of a request on a
 * line, then its fields, separated by zero bytes) and answers on its output.
 *
 * It outlives its server until its last command has ended, and writes into each command's record what a later server
 * must know: who the process is (so that a reused pid is not taken for it), and how it ended. The record is made with
 * O_EXCL, so the same attempt can never be started twice, and before the command, so that a full disk is told in time;
 * the exit status then fits into the block that the record has already.
 */
export const launcherScript = String.raw`
use strict; use warnings; use Fcntl; use POSIX qw(:sys_wait_h :signal_h setsid mkfifo dup2 _exit EAGAIN EEXIST EINTR);
$0 = 'longhaul-launcher';
# Blocked, not ignored: a signal to a command that is just being started reaches it once it is.
my $unheeded = POSIX::SigSet->new(SIGTERM, SIGINT, SIGHUP);
sigprocmask(SIG_BLOCK, $unheeded);
$SIG{PIPE} = 'IGNORE'; $SIG{CHLD} = sub {};
my ($buffer, $open, %records) = ('', 1);
my $boot = slurp('/proc/sys/kernel/random/boot_id'); chomp $boot;
sub slurp { my $text = ''; if (open(my $file, '<', $_[0])) { sysread($file, $text, 4096) } $text }
${holderScript}
sub tell_server { syswrite(STDOUT, "$_[0]\n") }
sub describe { my $pid = $_[0]; $boot eq '' ? "$pid (command) " . qx(ps -o lstart= -p $pid) : slurp("/proc/$pid/stat") }
sub note_end {
  my ($pid, $status) = @_;
  my $end = ($status >> 8) . ' ' . ($status & 127);
  my $record = delete $records{$pid} or return;
  syswrite($record, "$end\n");
  tell_server("ended $pid $end");
}
# A file is read to its end; a pipe is open on both ends, and what is written to it is the command's input; a feed comes in frames and may end.
# With a size there is a terminal, whose holder reads the file or the frames.
sub open_files {
  my ($how, $size, $in, $frames, $out, $err, $uid, $gid) = @_;
  my %files = (is_text => $how eq 'file');
  if ($how eq 'feed') { mkfifo($frames, 0600) && sysopen($files{frames}, $frames, O_RDWR) or return }
  sysopen(my $stdout, $out, O_WRONLY | O_APPEND | O_CREAT, 0600) or return;
  sysopen(my $stderr, $err, O_WRONLY | O_APPEND | O_CREAT, 0600) or return;
  if ($size ne '') {
    ($files{master}, my $slave) = open_terminal(split(/ /, $size), $uid, $gid) or return;
    sysopen($files{frames}, $in, O_RDONLY) or return if $how eq 'file';
    return (%files, source => $files{frames}, log => $stdout, standard => [$slave, $slave, $slave]);
  }
  if ($how ne 'file') { mkfifo($in, 0600) && sysopen($files{both}, $in, O_RDWR) or return }
  if ($how eq 'feed') { sysopen($files{to}, $in, O_WRONLY | O_NONBLOCK) or return }
  sysopen(my $stdin, $in, $how eq 'pipe' ? O_RDWR : O_RDONLY) or return;
  if ($uid ne '') { chown($uid, $gid, $stdin, $stdout, $stderr) == 3 or return }
  return (%files, standard => [$stdin, $stdout, $stderr]);
}
sub become {
  my ($files, $is_wrapped, $cwd, $count, @words) = @_;
  setsid();
  ioctl($files->[0], $ioctl{set_controlling}, 0) if -t $files->[0];
  dup2(fileno($files->[$_]), $_) for 0 .. 2;
  $SIG{$_} = 'DEFAULT' for qw(CHLD PIPE);
  # A wrapper waits for its command, which gets the same signals and decides by itself.
  if ($is_wrapped) { $SIG{$_} = 'IGNORE' for qw(TERM INT HUP) }
  sigprocmask(SIG_UNBLOCK, $unheeded);
  %ENV = ();
  for (splice(@words, 0, $count)) { my ($name, $value) = split /=/, $_, 2; $ENV{$name} = $value }
  chdir($cwd) or do { syswrite(STDERR, "cannot enter $cwd: $!\n"); _exit(126) };
  no warnings 'exec';
  exec { $words[0] } @words or do { syswrite(STDERR, "cannot run $words[0]: $!\n"); _exit(127) };
}
sub launch {
  my ($id, $path, @given) = split /\0/, $_[0], -1;
  my ($how, $size, @places) = splice(@given, 0, 8);
  sysopen(my $record, $path, O_WRONLY | O_CREAT | O_EXCL, 0600)
    or return tell_server($! == EEXIST ? "taken $id" : "failed $id $!");
  unlink "$path.unstarted";
  my %files = syswrite($record, ($boot || '-') . ' ') ? open_files($how, $size, @places) : ();
  my $pid = %files ? fork() : undef;
  if (!defined $pid) { my $why = $!; unlink $path; return tell_server("failed $id $why") }
  if ($pid == 0) { $size eq '' ? become($files{standard}, @given) : hold_terminal(\%files, @given) }
  syswrite($record, describe($pid));
  $records{$pid} = $record;
  tell_server("started $id $pid");
  return if $how ne 'feed' || $size ne '';
  delete @files{qw(standard both)};
  my $holder = fork();
  feed($files{frames}, $files{to}, $pid) if defined $holder && $holder == 0;
}
while ($open) {
  my $ready = ''; vec($ready, fileno(STDIN), 1) = 1;
  # A child may end just before the wait begins, which then does not notice.
  if (select($ready, undef, undef, %records ? 1 : undef) > 0) {
    my $got = sysread(STDIN, $buffer, 65536, length $buffer);
    $open = 0 if defined $got ? $got == 0 : $! != EINTR;
    while ($buffer =~ /^(\d+)\n/ && length($buffer) >= length($1) + 1 + $1) {
      my $request = substr($buffer, length($1) + 1, $1);
      $buffer = substr($buffer, length($1) + 1 + $1);
      launch($request);
    }
  }
  while ((my $pid = waitpid(-1, WNOHANG)) > 0) { note_end($pid, $?) }
}
$SIG{CHLD} = 'DEFAULT';
while ((my $pid = waitpid(-1, 0)) > 0) { note_end($pid, $?) }
`;

/** What the names of a wrapped command's variables begin with until it is in its place. */
export const wrappedPrefix = "LONGHAUL_FOR_COMMAND_";

/** Runs in the place that a wrapper has made: gives the command its variables and signals, and becomes it. */
export const unwrapScript = String.raw`
my %own = map { $_ => $ENV{$_} } qw(LONGHAUL_JOB_ID LONGHAUL_JOB_ATTEMPT);
for (grep { /^${wrappedPrefix}/ } keys %ENV) { $own{substr($_, length('${wrappedPrefix}'))} = $ENV{$_} }
%ENV = %own;
$SIG{$_} = 'DEFAULT' for qw(TERM INT HUP);
no warnings 'exec';
exec { $ARGV[0] } @ARGV or do { print STDERR "cannot run $ARGV[0]: $!\n"; exit 127 };
`;

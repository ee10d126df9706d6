/**
 * The part of the launcher that holds the input of one command, in a process of its own that outlives the server. Servers hand it frames through a
 * named pipe, each written in one piece: a line, and behind the line of a text its bytes.
 *
 *   t SENDER OFFSET LENGTH   a text, of which a sender's bytes count once, however often they come
 *   e                        the input ends
 *
 * It counts what it has taken, so a text that a dead server may or may not have passed on can be sent again.
 */
export const holderScript = String.raw`
my $room = 65536;
# Keeps nothing of the launcher that its server or other commands wait for.
sub become_holder {
  $0 = $_[0];
  %records = ();
  open(STDIN, '<', '/dev/null'); open(STDOUT, '>', '/dev/null');
}
sub read_frames {
  my ($frames, $state) = @_;
  sysread($frames, $state->{buffer}, $room, length $state->{buffer});
  while ($state->{buffer} =~ /^([^\n]*)\n/) {
    my ($type, @words) = split / /, $1;
    my $start = length($1) + 1;
    my $length = $type eq 't' ? $words[2] : 0;
    last if length $state->{buffer} < $start + $length;
    my $bytes = substr($state->{buffer}, $start, $length);
    substr($state->{buffer}, 0, $start + $length) = '';
    if ($type eq 't') { take_text($state, $bytes, @words) }
    elsif ($type eq 'e') { $state->{ended} = 1 }
  }
}
sub take_text {
  my ($state, $bytes, $sender, $offset, $length) = @_;
  if ($sender ne '-') {
    my $known = $state->{taken}{$sender} || 0;
    return if $offset + $length <= $known;
    substr($bytes, 0, $known - $offset) = '' if $offset < $known;
    $state->{taken}{$sender} = $offset + $length;
  }
  $state->{pending} .= $bytes unless $state->{ended};
}
# False once nobody reads any more.
sub write_pending {
  my ($to, $state) = @_;
  my $done = syswrite($to, $state->{pending});
  if (defined $done) { substr($state->{pending}, 0, $done) = '' }
  return defined $done || $! == EAGAIN || $! == EINTR;
}
# Passes on what comes until the input ends, or nobody is left to read it.
sub feed {
  my ($frames, $to, $command) = @_;
  become_holder('longhaul-input');
  # F_SETPIPE_SZ: where the system knows it and lets us, more fits in at once.
  fcntl($frames, 1031, 16 * $room);
  my $state = { buffer => '', pending => '', ended => 0 };
  while (kill(0, -$command) || kill(0, $command)) {
    last if $state->{ended} && $state->{pending} eq '';
    my ($read, $write) = ('', '');
    vec($read, fileno($frames), 1) = 1 if length $state->{pending} < $room;
    vec($write, fileno($to), 1) = 1 if $state->{pending} ne '';
    next unless select($read, $write, undef, 1) > 0;
    read_frames($frames, $state) if vec($read, fileno($frames), 1);
    last if $state->{pending} ne '' && !write_pending($to, $state);
  }
  _exit(0);
}
`;

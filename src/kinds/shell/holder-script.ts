/**
 * The part of the launcher that holds the input or the terminal of one command, in a process of its own that outlives the server. Servers hand it
 * frames through a named pipe, each written in one piece: a line, and behind the line of a text its bytes.
 *
 *   t SENDER OFFSET LENGTH   a text, of which a sender's bytes count once, however often they come
 *   e                        the input ends
 *   s COLUMNS ROWS           the terminal's window has this size
 *   r                        what is on the terminal is to be drawn anew
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
    elsif ($type eq 'e') { end_input($state) }
    elsif ($type eq 's' && $state->{master}) { resize($state->{master}, @words) }
    elsif ($type eq 'r' && $state->{master}) { redraw($state->{master}) }
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
  add_text($state, $bytes) unless $state->{ended};
}
sub add_text {
  my ($state, $bytes) = @_;
  $state->{pending} .= $bytes;
  $state->{last} = substr($bytes, -1) if $bytes ne '';
}
# On a terminal the character for it ends an input, behind text that is no whole line a second one; others may go on typing.
sub end_input {
  my $state = $_[0];
  if (!$state->{master}) { $state->{ended} = 1 }
  else { $state->{pending} .= $state->{last} eq "\n" ? "\x04" : "\x04\x04" }
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
  my $state = { buffer => '', pending => '', last => "\n", ended => 0 };
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
# The numbers of ioctl are those of Linux on all but a few old processors; Perl alone has no names for them.
my %ioctl = (set_lock => 0x40045431, get_number => 0x80045430, set_size => 0x5414, set_controlling => 0x540e, get_group => 0x540f);
sub open_terminal {
  my ($columns, $rows, $uid, $gid) = @_;
  my ($unlocked, $number) = (pack('i', 0), pack('i', 0));
  sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY | O_NONBLOCK) or return;
  ioctl($master, $ioctl{set_lock}, $unlocked) && ioctl($master, $ioctl{get_number}, $number) or return;
  sysopen(my $slave, '/dev/pts/' . unpack('i', $number), O_RDWR | O_NOCTTY) or return;
  if ($uid ne '') { chown($uid, $gid, $slave) or return }
  my $settings = POSIX::Termios->new;
  # IUTF8: a backspace takes a whole character away.
  if ($settings->getattr(fileno $slave)) {
    $settings->setiflag($settings->getiflag | 0x4000);
    $settings->setattr(fileno $slave);
  }
  resize($master, $columns, $rows);
  return ($master, $slave);
}
sub resize { my $size = pack('S4', $_[2], $_[1], 0, 0); ioctl($_[0], $ioctl{set_size}, $size) }
sub redraw {
  my $group = pack('i', 0);
  kill('WINCH', -unpack('i', $group)) if ioctl($_[0], $ioctl{get_group}, $group) && unpack('i', $group) > 1;
}
# Runs a command on a terminal, writes what that shows to a file, and ends like the command.
sub hold_terminal {
  my ($files, @command) = @_;
  setsid();
  my $pid = fork();
  _exit(126) unless defined $pid;
  become($files->{standard}, @command) if $pid == 0;
  become_holder('longhaul-terminal');
  my ($master, $source, $is_text, $log) = @$files{qw(master source is_text log)};
  %$files = ();
  my $state = { buffer => '', pending => '', last => "\n", master => $master };
  # Told to end, and the command is too: if that does not care, its terminal is taken away.
  my $hang_up_at;
  $SIG{TERM} = sub { $hang_up_at ||= time + 2 };
  sigprocmask(SIG_UNBLOCK, POSIX::SigSet->new(SIGTERM));
  my $is_open = 1;
  while (waitpid($pid, WNOHANG) == 0) {
    if ($hang_up_at && time >= $hang_up_at) { kill('HUP', $pid); $hang_up_at = time + 2 }
    my ($read, $write) = ('', '');
    vec($read, fileno($source), 1) = 1 if $source && length $state->{pending} < $room;
    vec($read, fileno($master), 1) = 1 if $is_open;
    vec($write, fileno($master), 1) = 1 if $state->{pending} ne '';
    # While no process has the terminal open there is nothing to wait for.
    my $count = select($read, $write, undef, $is_open ? 1 : 0.1);
    $is_open = 1, next unless $count > 0;
    $is_open = copy_output($master, $log) if vec($read, fileno($master), 1);
    if ($source && vec($read, fileno($source), 1)) {
      if (!$is_text) { read_frames($source, $state) }
      elsif (sysread($source, my $bytes, $room)) { add_text($state, $bytes) }
      else { end_input($state); undef $source }
    }
    if ($state->{pending} ne '' && !write_pending($master, $state)) { $state->{pending} = '' }
  }
  my $status = $?;
  for (1 .. 1000) { last unless copy_output($master, $log) == 2 }
  _exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
}
# 2 if something was copied, 0 if no process has the terminal open.
sub copy_output {
  my ($master, $log) = @_;
  my $got = sysread($master, my $bytes, $room);
  return $! == EAGAIN || $! == EINTR ? 1 : 0 unless defined $got;
  while ($bytes ne '') {
    my $done = syswrite($log, $bytes);
    # A full disk makes the command wait, as a slow terminal does.
    if (defined $done) { substr($bytes, 0, $done) = '' } else { select(undef, undef, undef, 0.2) }
  }
  return $got ? 2 : 0;
}
`;

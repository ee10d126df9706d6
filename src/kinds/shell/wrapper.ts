/**
 * Runs the command and leaves on disk what a server needs that comes later: who the process is (so that a reused pid
 * is not taken for it), and how it ended. Only built-ins, so that it costs no process of its own. `set -C` makes the
 * first write fail if the file is there: the same attempt can never be started twice. The traps keep the wrapper
 * alive until the command has ended, so that its exit code is known after a signal to the whole group; messages of
 * the wrapping shell itself ("Terminated") do not get into the command's output.
 * Arguments: the folder, how to run it, then the command.
 */
export const wrapperScript = `
set -C
{ read -r stat </proc/self/stat && read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null || { stat="$$ (sh) $(ps -o lstart= -p $$)"; boot=-; }
echo "$boot $stat" >"$1/process" || exit 125
set +C
trap : TERM INT HUP
folder=$1 mode=$2
shift 2
exec 3>&2 2>/dev/null
case $mode in
  shell) (exec 2>&3 3>&-; eval "$1") ;;
  argv) (exec 2>&3 3>&-; exec "$@") ;;
  pty) (exec 2>&3 3>&-; exec script -qefc "stty cols 120 rows 40 2>/dev/null; $1" /dev/null) ;;
esac
echo $? >"$folder/exit"
`;

export type WrapperMode = "shell" | "argv" | "pty";

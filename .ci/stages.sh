# What .ci/run and .ci/long share; to be sourced. Enters the repository's root.

shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export DEBIAN_FRONTEND=noninteractive

# Results must not depend on what the caller has set; where other models lie is the caller's to say.
: "${APUS_EXTERNAL_MODELS:=../shared/data}"
external_models=$(realpath -m "$APUS_EXTERNAL_MODELS")
for name in ${!APUS_@}; do unset "$name"; done

# A sanitizer takes offence at what prints Swift's backtraces, and both wait for each other.
export SWIFT_BACKTRACE=enable=no

SECONDS=0
work=$(mktemp -d)
current=
watcher=
finished=()

report() {
  local status=$?
  stop_watching
  rm -rf "$work"
  echo
  echo "Stages:"
  printf '  %s\n' "${finished[@]:-none}"
  if [ "$status" -eq 0 ]; then
    echo "PASSED in $(duration "$SECONDS")"
  else
    echo "FAILED in \"$current\" with status $status, after $(duration "$SECONDS")"
  fi
}
trap report EXIT
# Whoever ends the run ends it in failure: the status would be that of the last command that succeeded.
trap 'exit 143' TERM
trap 'exit 130' INT

duration() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# A stage that takes longer than this hangs. `.ci/long` has stages of hours.
: "${stage_minutes:=25}"

# All processes below one.
descendants() {
  local child
  for child in $(pgrep -P "$1"); do
    echo "$child"
    descendants "$child"
  done
}

# Waits until a stage has taken too long, says what each of its processes waits for, and ends them.
end_hanging_stage() {
  local self=$BASHPID process processes
  # Processes come and go while this looks at them.
  set +e
  sleep $((stage_minutes * 60))
  processes=$(comm -23 <(descendants $$ | sort) <({ echo "$self"; descendants "$self"; } | sort))
  echo "\"$current\" has not ended within $stage_minutes minutes. All processes, and what those of this run wait for:"
  # Whoever was left behind by its parent may hold the output open too.
  ps -e --forest -o pid=,ppid=,etimes=,time=,stat=,args= | grep -v '\]$' | cut -c 1-160
  for process in $processes; do grep -H . /proc/"$process"/task/*/wchan 2>/dev/null; done
  for process in $processes; do
    command -v gdb >/dev/null && timeout 120 gdb --batch --pid "$process" --ex 'thread apply all backtrace 16' 2>/dev/null |
      grep -E '^(#|Thread)' | cut -c 1-160
  done
  kill $processes
}

# With its `sleep`, which holds the output open.
stop_watching() {
  [ -n "$watcher" ] || return 0
  kill $(descendants "$watcher") "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  watcher=
}

# Runs a command, and says how long it took.
stage() {
  current=$1
  shift
  local begin=$SECONDS
  printf '\n==> %s\n' "$current"
  end_hanging_stage &
  watcher=$!
  "$@"
  stop_watching
  finished+=("$(duration $((SECONDS - begin)))  $current")
  printf '<== %s: %s\n' "$current" "$(duration $((SECONDS - begin)))"
}

fail() {
  echo "$*" >&2
  exit 1
}

# Runs functions side by side, each of which keeps no more than a core busy; what they print comes one after the other.
at_once() {
  local name failed=() jobs=()
  for name in "$@"; do
    "$name" >"$work/$name.log" 2>&1 &
    jobs+=("$!")
  done
  for name in "$@"; do
    wait "${jobs[0]}" || failed+=("$name")
    jobs=("${jobs[@]:1}")
    cat "$work/$name.log"
  done
  [ ${#failed[@]} -eq 0 ] || fail "failed: ${failed[*]}"
}

# Debian packages for what is not there: OpenBLAS, an emulator of old processors, and objdump.
install_tools() {
  local missing=()
  ldconfig -p | grep -c 'libopenblas\.so' >/dev/null || missing+=(libopenblas0)
  command -v qemu-x86_64 >/dev/null || missing+=(qemu-user)
  command -v objdump >/dev/null || missing+=(binutils)
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
  if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  echo "OpenBLAS: $(ldconfig -p | sed -n 's/.*=> \(.*libopenblas\.so.*\)/\1/p' | head -1)"
  qemu-x86_64 --version | head -1
  objdump --version | head -1
  swift --version 2>&1 | head -1
  python3 --version
}

# A virtual environment with the given packages, in the versions of Weights/requirements.txt; prints its Python.
python_with() {
  local folder=$work/venv package
  local pinned=()
  for package in "$@"; do pinned+=("$(grep "^$package==" Weights/requirements.txt)"); done
  [ -d "$folder" ] || python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet "${pinned[@]}" >&2
  echo "$folder/bin/python"
}

#!/bin/sh
# Says whether the GPUs of this node can be used. Nothing else: storage has a canary of its own
# (storage-canary.sh), because a check that touches a shared mount calls every healthy node bad as
# soon as the storage pauses.
#
#   gpu-healthcheck.sh [--count N] [--uuid GPU-…[,GPU-…]] [--config FILE] [--mounts FILE] [--state FILE]
#
# What the node should have comes from the arguments or from a local file, /etc/gpu-healthcheck.conf:
#   gpu_count = 8
#   gpu_uuid = GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31      # one line for each GPU; may be left out
# "At least one GPU" would pass with seven of eight lost, so without an expectation nothing is judged.
#
# One line on standard output, and an exit code:
#   0  PASS, or WARN: something to do at leisure (a row remap waits for the next reset)
#   1  FAIL: the GPUs of this node must not get work; the line says why
#   2  UNKNOWN: it cannot be told, and nothing is to be done to the node
#
# node-problem-detector (custom plugin) reads 0 as healthy, 1 as the problem, any other as unknown, and
# keeps the first 80 characters of the line:
#   {"type": "permanent", "condition": "GPUUnhealthy", "reason": "GPUCheckFailed",
#    "path": "/usr/local/bin/gpu-healthcheck.sh", "timeout": "6s"}
# Slurm's HealthCheckProgram only logs a failure; who wants the node drained says so, for 1 alone:
#   why=$(/usr/local/bin/gpu-healthcheck.sh) || { [ $? -eq 1 ] &&
#     timeout 10 scontrol update nodename="$SLURMD_NODENAME" state=drain reason="$why"; }
# Install script and file on a local disk. It needs a shell, coreutils and Linux; it ends within 5 s,
# even if nvidia-smi can no longer be killed, and leaves nothing behind that a next run would stumble on.
# Keep persistence mode on: without it nvidia-smi wakes every GPU first, which may take longer than that.
set -u
umask 077
cd / || exit 2
LC_ALL=C
export LC_ALL
unset LD_PRELOAD

config=/etc/gpu-healthcheck.conf
mounts=/proc/self/mounts
state=/run/gpu-healthcheck.hung
count='' uuids='' room='' pidfile=/dev/null fails='' warns='' child=''
budget=340 # hundredths of a second for all questions to the driver together
grace=40   # for a program that was told to end

# ---- Only what is local -------------------------------------------------------------------------

# Sets $table to point and kind of the mounts, but for those of containers, of which a node may have
# thousands. Read by a program: some shells take a file byte by byte.
read_mounts() {
  [ -r "$mounts" ] || leave 2 "UNKNOWN: $mounts cannot be read, so what is local cannot be told"
  # shellcheck disable=SC2030 # for these two programs only
  table=$(
    PATH=/usr/bin:/bin LD_LIBRARY_PATH=''
    export PATH LD_LIBRARY_PATH
    timeout 1 cut -d' ' -f2,3 "$mounts" |
      grep -vE '^/(proc|sys|run/(containerd|docker|crio|k3s)|var/lib/(kubelet|containerd|docker|containers|rancher))/'
  )
}

# Sets $shared to the network mount that a path lies on, or to nothing. The mount table tells; to ask
# the path itself would hang with it.
find_shared() {
  shared='' longest=''
  case $1/ in */../* | *//*) shared=$1 && return ;; esac
  set -f
  IFS='
'
  for line in $table; do
    point=${line% *} kind=${line##* }
    case $1/ in "${point%/}"/*) ;; *) continue ;; esac
    [ "${#point}" -ge "${#longest}" ] || continue
    longest=$point shared=''
    case $kind in
      nfs* | cifs | smb* | lustre* | ceph | gpfs | beegfs* | wekafs | glusterfs | pvfs2 | afs | daos | \
        panfs | quobyte | fuse | fuse.* | autofs) shared=$point ;;
    esac
  done
  set +f
  unset IFS
}

# Sets $kept to the local folders of a list like PATH.
keep_local() {
  kept='' rest=$1:
  while [ -n "$rest" ]; do
    folder=${rest%%:*} rest=${rest#*:}
    case $folder in /*) find_shared "${folder%/}" ;; *) continue ;; esac
    [ -n "$shared" ] || kept=$kept:$folder
  done
  kept=${kept#:}
}

# ---- Time and processes, without a command that could hang ----------------------------------------

# Sets $now in hundredths of a second since boot: a stepped clock does not matter.
clock() {
  read -r now _ </proc/uptime
  now=${now%.*}${now#*.}
}

# Sets $birth, when a process began; fails if there is none, or only its corpse.
look_up() {
  read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
  # shellcheck disable=SC2086 # the fields after the name, which may hold spaces
  set -- ${stat##*) }
  case $1 in Z | X) return 1 ;; esac
  birth=${20}
}

# Sets $waits_in if a program waits for a file system: the fault is then not the driver's.
find_wait() {
  waits_in=''
  while read -r frame; do
    frame=${frame#* }
    case $frame in
      *'[nvidia'*) return ;;
      nfs* | rpc_* | ll_* | osc_* | ptlrpc_* | cl_* | ceph_* | fuse_* | cifs_* | smb2_* | \
        autofs_* | mnt_want_write* | *sb_start_write* | *wait_on_page* | folio_wait*)
        waits_in=${frame%%+*} && return ;;
    esac
  done 2>/dev/null <"/proc/$1/stack"
  read -r frame 2>/dev/null <"/proc/$1/wchan" || return
  case $frame in nfs* | rpc_* | ll_* | ptlrpc_* | ceph_* | fuse_* | cifs_*) waits_in=$frame ;; esac
}

# Runs a command for so many hundredths of a second; 124 if it did not end. What cannot be killed is
# left alone, never waited for.
bounded() {
  span=$1 output=$2 && shift 2
  hundredths=$((100 + span % 100)) waits_in='' leaf=''
  # shellcheck disable=SC2016 # that shell's own arguments; it leaves its number and becomes the command
  timeout -k 0.2 "$((span / 100)).${hundredths#1}" \
    /bin/sh -c 'echo $$ >"$0" && exec "$@"' "$pidfile" "$@" >"$output" 2>&1 </dev/null &
  child=$!
  clock
  last=$((now + span + grace)) soon=$((now + span - 20))
  while kill -0 "$child" 2>/dev/null; do
    clock
    if [ -z "$leaf" ] && [ "$now" -ge "$soon" ]; then read -r leaf <"$pidfile" && find_wait "$leaf"; fi
    [ "$now" -lt "$last" ] || return 124
    sleep 0.02
  done
  wait "$child" && return 0
  ended=$?
  [ "$ended" -ne 137 ] || ended=124
  return "$ended"
} 2>/dev/null # some shells announce there that a job was killed

# ---- The end ------------------------------------------------------------------------------------

leave() { # CODE LINE
  pidfile=/dev/null
  if [ -n "$room" ]; then bounded 60 /dev/null rm -rf -- "$room"; fi
  printf '%s\n' "$2"
  exit "$1"
}
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; leave 2 "UNKNOWN: interrupted"' HUP INT TERM

# Judges a program that gives no answer, and remembers it if it cannot even be ended.
hung() { # PID WAITS_IN TEXT
  if look_up "$1" && [ -w "${state%/*}" ]; then
    echo "$1 $birth $2" 2>/dev/null >"$state"
  fi
  [ -z "$2" ] || leave 2 "UNKNOWN: $3; it waits for a file system ($2), which says nothing of the GPUs"
  leave 1 "FAIL: $3 (driver or GSP hung?)"
}

# ---- What is expected ---------------------------------------------------------------------------

read_config() {
  find_shared "$config"
  [ -z "$shared" ] || leave 2 "UNKNOWN: $config lies on the network mount $shared; keep it on a local disk"
  [ -r "$config" ] || return 0
  while IFS='= 	' read -r key value _ || [ -n "$key" ]; do
    value=${value%"$(printf '\r')"}
    case $key in
      gpu_count) count=${count:-$value} ;;
      gpu_uuid) listed="$listed $value" ;;
    esac
  done <"$config"
}

while [ $# -gt 0 ]; do
  case $1 in
    --count | --uuid | --config | --mounts | --state) [ $# -ge 2 ] || leave 2 "UNKNOWN: $1 needs a value" ;;
    *) leave 2 "UNKNOWN: no such option: $1" ;;
  esac
  case $1 in
    --count) count=$2 ;;
    --uuid) uuids="$uuids,$2" ;;
    --config) config=$2 ;;
    --mounts) mounts=$2 ;;
    --state) state=$2 ;;
  esac
  shift 2
done
read_mounts
# shellcheck disable=SC2031 # the PATH it was called with
keep_local "$PATH"
PATH=${kept:+$kept:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
# shellcheck disable=SC2031 # as above
if [ -n "${LD_LIBRARY_PATH-}" ]; then
  keep_local "$LD_LIBRARY_PATH"
  LD_LIBRARY_PATH=$kept
fi

listed=''
[ -n "$count$uuids" ] || read_config
# shellcheck disable=SC2086,SC2046 # lists of words
set -- $(IFS=,; printf '%s ' $uuids) $listed
uuids=$*
count=${count:-$#}
case $count in
  0 | '') leave 2 "UNKNOWN: what this node should have is not stated; put gpu_count into $config" ;;
  *[!0-9]*) leave 2 "UNKNOWN: gpu_count is not a number: $count" ;;
esac

# ---- A local folder of this run's own -----------------------------------------------------------

# After TMPDIR those in memory: they cannot hang. A disk comes last.
make_room() {
  clock
  name=gpu-healthcheck.$$.$now
  for folder in "${TMPDIR-}" /run /dev/shm /tmp /var/tmp; do
    case $folder in /*) find_shared "${folder%/}" ;; *) continue ;; esac
    [ -z "$shared" ] || continue
    room=$folder/$name # named before it is made: an interruption leaves nothing
    bounded 50 /dev/null mkdir -- "$room" && pidfile=$room/pid && return
  done
  room=''
  leave 2 "UNKNOWN: no local folder takes a file (tried ${TMPDIR:+$TMPDIR, }/run, /dev/shm, /tmp, /var/tmp)"
}

# ---- The questions ------------------------------------------------------------------------------

# Asks nvidia-smi within what is left of the time. Its answer is in $room/answer.
ask() {
  clock
  left=$((until - now))
  [ "$left" -ge 30 ] || return 125
  bounded "$left" "$room/answer" nvidia-smi "$@" --format=csv,noheader
}

fail() { fails="${fails:+$fails; }$1"; }
warn() { warns="${warns:+$warns; }$1"; }

# The GPUs that answer, against those that should.
check_roster() {
  ask --query-gpu=uuid,pci.bus_id,temperature.gpu
  code=$?
  case $code in
    124) hung "$leaf" "$waits_in" "nvidia-smi gave no answer in $((budget / 100)).$((budget / 10 % 10)) s" ;;
    126 | 127) leave 2 "UNKNOWN: nvidia-smi is not in a local folder of PATH" ;;
  esac
  found=0 answering=' ' said=''
  while IFS=, read -r uuid bus temperature; do
    case $uuid in
      GPU-*) found=$((found + 1)) answering="$answering$uuid " ;;
      ?*) said=${said:-$uuid${bus:+,$bus}} && continue ;;
      *) continue ;;
    esac
    case $temperature in
      *'GPU is lost'* | *'Unknown Error'* | *'requires reset'* | *ERR!*) fail "$uuid at$bus answers$temperature" ;;
    esac
  done <"$room/answer"
  compare_roster
  case $code in
    0) ;;
    14) warn "an InfoROM is corrupted" ;;
    *) [ -n "$fails" ] || leave 2 "UNKNOWN: nvidia-smi ended with $code: ${said:-no word}" ;;
  esac
}

compare_roster() {
  missing=''
  for uuid in $uuids; do
    case $answering in *" $uuid "*) ;; *) missing="$missing $uuid" ;; esac
  done
  if [ "$found" -ne "$count" ]; then
    fail "$found of $count GPUs answer${missing:+, missing$missing}${said:+ ($said)}"
  elif [ -n "$missing" ]; then
    fail "not the expected GPUs: missing$missing"
  fi
}

# What the driver itself asks for after an Xid; drivers before 570 do not know the field.
check_recovery() {
  ask --query-gpu=uuid,gpu_recovery_action
  skipped $? "the recovery action" && return
  while IFS=, read -r uuid action; do
    action=${action# }
    case $uuid,$action in
      GPU-*,None | GPU-*,*N/A* | GPU-*,*'Not Supported'* | GPU-*,'') ;;
      GPU-*,'Drain P2P') warn "$uuid: the driver wants its peer traffic drained" ;;
      GPU-*) fail "$uuid: the driver asks for: $action" ;;
    esac
  done <"$room/answer"
}

# A remap that waits does no harm before the next reset; one that failed is a part to replace.
check_rows() {
  ask --query-remapped-rows=gpu_uuid,remapped_rows.pending,remapped_rows.failure
  skipped $? "row remapping" && return
  while IFS=' ,' read -r uuid pending failure _; do
    case $uuid in GPU-*) ;; *) continue ;; esac
    case $failure in Yes | [1-9]*) fail "$uuid: row remapping failed" ;; esac
    case $pending in Yes | [1-9]*) warn "$uuid: a row remap waits for the next reset" ;; esac
  done <"$room/answer"
}

# True if a question has no answer to read; one the driver does not know is left out in silence.
skipped() {
  case $1 in
    0) return 1 ;;
    124) hung "$leaf" "$waits_in" "nvidia-smi gave no answer about $2" ;;
    125) warn "not asked for want of time: $2" ;;
  esac
  return 0
}

# An earlier run's nvidia-smi that still cannot be killed: another one would only join it.
check_earlier() {
  [ -r "$state" ] || return 0
  read -r pid was where <"$state"
  if look_up "${pid:-0}" && [ "$birth" = "$was" ]; then
    hung "$pid" "$where" "nvidia-smi of an earlier run (pid $pid) still hangs"
  fi
  bounded 20 /dev/null rm -f -- "$state"
}

clock
until=$((now + budget))
check_earlier
make_room
check_roster
if [ -z "$fails" ]; then check_recovery; check_rows; fi
[ -z "$fails" ] || leave 1 "FAIL: $fails"
[ -z "$warns" ] || leave 0 "WARN: $found of $count GPUs answer; $warns"
leave 0 "PASS: $found of $count GPUs answer"

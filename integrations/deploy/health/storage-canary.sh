#!/bin/sh
# Says whether a shared mount works: writes a small file, fsyncs it, reads it back and removes it.
# It watches the storage, not the node: it never drains, taints or reports a node, and must not be made
# a HealthCheckProgram, a plugin of node-problem-detector or a liveness probe. When the storage pauses,
# every node would be called bad at once. Its metric raises the alert; people decide.
#
#   storage-canary.sh FOLDER [--textfile FILE.prom] [--limit SECONDS] [--mounts FILE] [--state FOLDER] [--any]
#
# FOLDER must lie on a network mount; else it is not mounted, and the canary would praise the local disk
# beneath (--any: accept any file system). FILE.prom is for node_exporter's textfile collector and must
# be local; it is replaced at once as a whole:
#   * * * * * root /usr/local/bin/storage-canary.sh /data --textfile /var/lib/node_exporter/data.prom
#
# One line on standard output, and an exit code:
#   0  PASS     1  FAIL: the storage, with the reason     2  UNKNOWN: it was not tried
# It ends within --limit (10 s) and two more seconds, even if the write can no longer be killed. Such a write is
# left alone, and later runs report it without adding another.
set -u
umask 077
cd / || exit 2
LC_ALL=C
export LC_ALL
unset LD_PRELOAD

folder='' textfile='' mounts=/proc/self/mounts state=/run/storage-canary limit=10 any='' room='' pidfile=/dev/null steps='' began='' child=''

# ---- Only what is local; each script stands alone, hence the likeness to gpu-healthcheck.sh ----------

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

# Sets $shared to the network mount that a path lies on, or to nothing, by the mount table alone.
find_shared() {
  shared='' longest=''
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
        panfs | quobyte | gfs2 | ocfs2 | fuse | fuse.* | autofs) shared=$point ;;
    esac
  done
  set +f
  unset IFS
}

# Sets $kept to the local folders of PATH: a program is never looked for on the mount under test.
keep_local() {
  # shellcheck disable=SC2031 # the PATH it was called with
  kept='' rest=$PATH:
  while [ -n "$rest" ]; do
    entry=${rest%%:*} rest=${rest#*:}
    case $entry in *..* | *//*) continue ;; /*) find_shared "${entry%/}" ;; *) continue ;; esac
    [ -n "$shared" ] || kept=$kept:$entry
  done
  PATH=${kept#:}${kept:+:}/usr/local/bin:/usr/bin:/bin
  export PATH
}

# Sets $now in hundredths of a second since boot.
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

# Runs a command until the time is over; 124 if it did not end. What cannot be killed is left alone.
bounded() { # HUNDREDTHS OUTPUT COMMAND...
  span=$1 output=$2 && shift 2
  [ "$span" -gt 0 ] || return 124
  hundredths=$((100 + span % 100)) leaf=''
  # shellcheck disable=SC2016 # that shell's own arguments; it leaves its number and becomes the command
  timeout -k 0.2 "$((span / 100)).${hundredths#1}" \
    /bin/sh -c 'echo $$ >"$0" && exec "$@"' "$pidfile" "$@" >"$output" 2>&1 </dev/null &
  child=$!
  clock
  last=$((now + span + 40)) soon=$((now + span - 20))
  while kill -0 "$child" 2>/dev/null; do
    clock
    if [ -z "$leaf" ] && [ "$now" -ge "$soon" ]; then read -r leaf <"$pidfile"; fi
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

# shellcheck disable=SC2317,SC2329 # by the trap; shellcheck before 0.11 calls it by the first name
interrupt() {
  [ -z "$child" ] || kill "$child" 2>/dev/null
  if [ -n "$began" ]; then bounded 100 /dev/null rm -f -- "$file"; fi
  leave 2 "UNKNOWN: interrupted"
}
trap interrupt HUP INT TERM

# Tells the metric and the line. A run that did not try tells no metric: the last one grows old.
finish() { # CODE LINE [REASON]
  [ -z "$textfile" ] || publish "$((1 - $1))" "${3-}" || leave 2 "UNKNOWN: $textfile cannot be written; $2"
  leave "$1" "$2"
}

publish() { # OK REASON
  name=firstfault_storage_canary
  {
    echo "# HELP ${name}_ok Whether a small file was written, synced, read back and removed."
    echo "# TYPE ${name}_ok gauge"
    echo "${name}_ok{path=\"$folder\"} $1"
    echo "# HELP ${name}_failed_info The reason of the failure; absent while all is well."
    echo "# TYPE ${name}_failed_info gauge"
    [ -z "$2" ] || echo "${name}_failed_info{path=\"$folder\",reason=\"$2\"} 1"
    echo "# HELP ${name}_step_seconds How long each step that ended took."
    echo "# TYPE ${name}_step_seconds gauge"
    for step in $steps; do
      echo "${name}_step_seconds{path=\"$folder\",step=\"${step%=*}\"} ${step#*=}"
    done
    echo "# HELP ${name}_last_run_timestamp_seconds When this was found, in seconds since 1970."
    echo "# TYPE ${name}_last_run_timestamp_seconds gauge"
    echo "${name}_last_run_timestamp_seconds{path=\"$folder\"} $(timeout 1 date +%s)"
  } >"$room/metrics" || return
  # shellcheck disable=SC2016 # that shell's own arguments
  bounded 100 /dev/null sh -c 'umask 022 && cat "$1" >"$2.$$" && mv -f "$2.$$" "$2"' - "$room/metrics" "$textfile"
}

# ---- What to look at ----------------------------------------------------------------------------

usage() { leave 2 "UNKNOWN: $1"; }

while [ $# -gt 0 ]; do
  case $1 in
    --any) any=yes && shift && continue ;;
    --textfile | --limit | --mounts | --state) [ $# -ge 2 ] || usage "$1 needs a value" ;;
    /*) folder=${1%/} && shift && continue ;;
    *) usage "neither an option nor an absolute path: $1" ;;
  esac
  case $1 in
    --textfile) textfile=$2 ;;
    --limit) limit=$2 ;;
    --mounts) mounts=$2 ;;
    --state) state=$2 ;;
  esac
  shift 2
done
[ -n "$folder" ] || usage "no folder is given"
case $folder in *[\"\\]* | *'
'*) usage "a path with quotes, backslashes or line ends fits no label" ;; esac
case $limit in '' | *[!0-9]* | 0*) usage "--limit is a whole number of seconds: $limit" ;; esac
read_mounts
keep_local
for local in "$textfile" "$state"; do
  case $local in '') continue ;; /*) ;; *) usage "not an absolute path: $local" ;; esac
  find_shared "$local"
  [ -z "$shared" ] || usage "$local lies on the network mount $shared; it must be local"
done

make_room() {
  clock
  for place in /run /dev/shm "${TMPDIR:-/tmp}" /var/tmp; do
    find_shared "$place"
    [ -z "$shared" ] || continue
    room=$place/storage-canary.$$.$now
    bounded 50 /dev/null mkdir -- "$room" && pidfile=$room/pid && return
  done
  room=''
  usage "no local folder takes a file"
}

# ---- The file -----------------------------------------------------------------------------------

# Sets $why to one word for an error of the system.
find_reason() {
  said=''
  read -r said 2>/dev/null <"$room/said"
  case $said in
    *'No space left'* | *'quota exceeded'*) why=full ;;
    *'Read-only'*) why='readonly' ;;
    *'ermission denied'* | *'not permitted'*) why=denied ;;
    *'tale file handle'*) why=stale ;;
    *'No such file'* | *'Not a directory'*) why=absent ;;
    *'timed out'*) why=timeout ;;
    *) why=error ;;
  esac
}

start() { # NAME
  what=$1
  clock
  began=$now
}

step() { # NAME COMMAND...
  start "$1" && shift
  bounded "$((until - now))" "$room/said" "$@"
  conclude $?
}

conclude() { # CODE
  clock
  took=$((now - began)) part=$((100 + (now - began) % 100))
  case $1 in
    0) steps="$steps $what=$((took / 100)).${part#1}" ;;
    124) stuck ;;
    *)
      find_reason
      case $what in write) bounded 100 /dev/null rm -f -- "$file" ;; esac
      finish 1 "FAIL: $folder: $what: $why${said:+ ($said)}" "$why"
      ;;
  esac
}

# Remembers what cannot be ended, if so, and which file a next run has to remove.
stuck() {
  stayed='0 0'
  if look_up "$leaf"; then stayed="$leaf $birth"; fi
  if bounded 20 /dev/null mkdir -p -- "$state"; then
    echo "$stayed $file" 2>/dev/null >"$state/$mangled"
  fi
  finish 1 "FAIL: $folder: $what: no answer within $limit s" hung
}

check_earlier() {
  [ -r "$state/$mangled" ] || return 0
  read -r pid was old <"$state/$mangled"
  if look_up "${pid:-0}" && [ "$birth" = "$was" ]; then
    finish 1 "FAIL: $folder: the file of an earlier run (pid $pid) still hangs" hung
  fi
  case $old in "$folder"/.storage-canary.*) step tidy rm -f -- "$old" ;; esac
  bounded 20 /dev/null rm -f -- "$state/$mangled"
  steps=''
}

mangled=$(printf '%s' "$folder" | tr / _)
read -r host </proc/sys/kernel/hostname
file=$folder/.storage-canary.$host.$$
make_room
find_shared "$folder"
if [ -z "$shared$any" ]; then
  finish 1 "FAIL: $folder is not mounted: no network mount is there" unmounted
fi
clock
until=$((now + limit * 100))
what=tidy
check_earlier
echo "$host $$ $now" >"$room/payload"
step write dd if="$room/payload" of="$file" bs=4096 conv=fsync
# Past the cache, where the file system can; what it refuses so is read the common way.
start 'read'
bounded "$((until - now))" "$room/said" dd if="$file" of="$room/back" bs=4096 iflag=direct
case $? in
  0) conclude 0 ;;
  124) conclude 124 ;;
  *) step 'read' dd if="$file" of="$room/back" bs=4096 ;;
esac
if ! cmp -s "$room/payload" "$room/back"; then
  bounded 100 /dev/null rm -f -- "$file"
  finish 1 "FAIL: $folder: what was read is not what was written" mismatch
fi
step remove rm -f -- "$file"
finish 0 "PASS: $folder: written, read and removed (${steps# })"

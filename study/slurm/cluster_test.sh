#!/usr/bin/env bash
# Runs a study on a Slurm cluster of this one machine: submits it, stops one task as a
# time limit does and kills another, submits what is missing, and compares with the
# same study run locally. Needs root and Debian's slurm-wlm; with --install gets it.
# What cannot be had is said, and the test passed over. Leaves the machine as it was.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() { echo "SKIPPED: the study on a Slurm cluster: $*"; exit 0; }
fail() {
	echo "FAILED: $*" >&2
	tail -n 20 "$tmp"/*.log "$tmp"/*/slurm/*.log >&2 || true
	exit 1
}
# until_true SECONDS WHAT COMMAND... waits for a command to succeed.
until_true() {
	local end=$((SECONDS + $1)) what=$2
	shift 2
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "$what"
		sleep 0.2
	done
}

config=/etc/slurm/slurm.conf
[ "$(uname)" = Linux ] && [ "$(id -u)" = 0 ] || skip "needs Linux and root"
if ! command -v slurmctld slurmd sbatch munged >/dev/null; then
	[ "${1:-}" = --install ] || skip "slurm-wlm is not installed; ./test slurm installs it"
	command -v apt-get >/dev/null || skip "slurm-wlm is not installed, and there is no apt-get"
	{ apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends slurm-wlm; } >/dev/null ||
		skip "slurm-wlm cannot be installed"
fi
if pgrep -x slurmctld >/dev/null || pgrep -x slurmd >/dev/null; then
	skip "a Slurm daemon is running here, which is left alone"
fi

tmp=$(mktemp -d)
saved=$tmp/slurm.conf.before
pids=()
own_munge=
cleanup() {
	set +e
	if [ ${#pids[@]} != 0 ]; then
		scancel --user=root 2>/dev/null
		for _ in $(seq 100); do [ -n "$(squeue -h 2>/dev/null)" ] || break; sleep 0.1; done
	fi
	for pid in "${pids[@]}"; do
		kill "$pid"
		for _ in $(seq 50); do kill -0 "$pid" || break; sleep 0.1; done
		kill -KILL "$pid"
		wait "$pid"
	done 2>/dev/null
	# What waits for the controller in vain; only the steps of this cluster are here.
	for pid in $(pgrep -x slurmstepd); do
		[ "$(readlink "/proc/$pid/cwd")" != "$tmp" ] || kill -KILL "$pid"
	done
	[ -z "$own_munge" ] || runuser -u munge -- munged --stop >/dev/null 2>&1
	rm -f "$config"
	[ ! -e "$saved" ] || cp -p "$saved" "$config"
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
[ ! -e "$config" ] || cp -p "$config" "$saved"

node=$(hostname -s)
mkdir -p "$tmp/state" "$tmp/spool" "$(dirname $config)"
cat > "$config" <<END
ClusterName=weft-test
SlurmctldHost=$node
SlurmctldPort=26817
SlurmdPort=26818
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
MaxArraySize=11
SchedulerParameters=sched_interval=1,sched_min_interval=0
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
NodeName=$node CPUs=2
PartitionName=all Nodes=$node Default=YES
END

if ! pgrep -x munged >/dev/null; then
	install -d -o munge -g munge /run/munge
	runuser -u munge -- munged >"$tmp/munged.log" 2>&1 || fail "munged does not start"
	own_munge=yes
fi
(cd "$tmp" && exec slurmctld -D) >"$tmp/slurmctld.log" 2>&1 &
pids+=($!)
(cd "$tmp" && exec slurmd -D) >"$tmp/slurmd.log" 2>&1 &
pids+=($!)
idle() { [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; }
until_true 30 "the cluster does not come up" idle

# The program that also has the queue.
go build -o "$tmp/weft" ./cmd/weft-queue
weft=$tmp/weft
study=$tmp/study
cat > "$tmp/study.yaml" <<'END'
weft: 1
name: on-slurm
topology: {kind: fat-tree, tiers: 2, radix: 16, rate: 400Gbps, delay: 500ns, switch_latency: 500ns}
traffic:
  - {name: main, pattern: permutation, size: 8MiB}
compare:
  - {name: OPS, set: {transport.balancer: ops}}
  - {name: ARCANE, set: {transport.balancer: arcane}}
matrix:
  - {path: traffic.main.size, values: [8MiB, 12MiB]}
seeds: 3
END
"$weft" study run "$tmp/study.yaml" --out "$tmp/local" --report=false >/dev/null 2>&1 || fail "the study does not run locally"

# 12 runs in 3 tasks, of which two run at a time.
job=$("$weft" study submit --slurm "$tmp/study.yaml" --out "$study" --runs-per-task 4 --time 10 | sed -n 's/^job \([0-9]*\) submitted.*/\1/p')
[ -n "$job" ] || fail "the study was not submitted"
number() { "$weft" study status "$study" --json | sed -n "s/^  \"$1\": \([0-9]*\),/\1/p"; }
over() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
some_done() { over || [ "$(number done)" -ge 1 ]; }
until_true 60 "no run was ever done" some_done
# The signal that comes before the time limit, and then a kill.
scancel --batch --signal=TERM "${job}_0" || fail "task 0 ended too early to be stopped"
scancel "${job}_1"
if "$weft" study submit --slurm "$study" >/dev/null 2>"$tmp/again.log"; then
	fail "a study was submitted whose job had not ended"
fi
grep -q 'has not ended' "$tmp/again.log" || fail "the refusal does not say why"
until_true 60 "the job does not end" over
[ "$(number done)" -lt 12 ] || fail "two tasks were stopped, and nothing is missing"
grep -q 'continue with weft study resume' "$study/slurm/${job}_0.log" || fail "the stopped task did not end in order"
echo "after a stopped and a killed task: $("$weft" study status "$study" | head -n 1)"

"$weft" study submit --slurm "$study" --runs-per-task 2 --wait --poll 500ms >"$tmp/waited.log" 2>&1 || fail "what was missing did not run"
tasks=$(sed -n '2s/.*"tasks":\([0-9]*\).*/\1/p' "$study/slurm/jobs.jsonl")

hashes() { "$weft" runs "$1" --json | sed -n 's/.*"key":"\([0-9a-f]*\)".*"result_hash":"\([0-9a-f]*\)".*/\1 \2/p' | sort; }
hashes "$tmp/local" >"$tmp/want"
hashes "$study" >"$tmp/got"
[ "$(wc -l <"$tmp/want")" = 12 ] || fail "the local study has not 12 results"
diff "$tmp/want" "$tmp/got" || fail "results on the cluster are not those of the local study"
files() { find "$study/runs" -type f -printf '%f %i\n' | sort; }
files >"$tmp/files"
[ "$(wc -l <"$tmp/files")" = 12 ] || fail "the store has other files than 12 results"

# A job that is submitted once more by hand does nothing.
job=$(sbatch --parsable "$study/slurm/job.sh")
until_true 60 "tasks with nothing to do do not end" over
[ "$(grep -l ': 0 runs missing' "$study/slurm/${job}"_*.log | wc -l)" = "$tasks" ] || fail "not all tasks ended once more"
files | diff "$tmp/files" - || fail "results were written again"

# Workers instead of shards: tasks of the array take the runs from a server here.
export NATS_TOKEN=secret-of-this-test
echo "$NATS_TOKEN" >"$tmp/token"
url=nats://127.0.0.1:24222
"$weft" serve --listen 127.0.0.1:24222 --token-file "$tmp/token" --dir "$tmp/streams" >"$tmp/serve.log" 2>&1 &
pids+=($!)
until_true 30 "the server does not start" grep -qs listening "$tmp/serve.log"
job=$("$weft" study submit --slurm "$tmp/study.yaml" --out "$tmp/served" --connect "$url" --tasks 2 | sed -n 's/^job \([0-9]*\) submitted.*/\1/p')
timeout 120 "$weft" study resume "$tmp/served" --engine "$url" --report=false >"$tmp/resume.log" 2>&1 || fail "workers do not execute the study"
scancel "$job"
hashes "$tmp/served" | diff "$tmp/want" - || fail "results of workers are not those of the local study"
until_true 60 "workers do not end" over

# What Slurm refuses is passed on.
rc=0
"$weft" study submit --slurm "$tmp/study.yaml" --out "$tmp/other" --partition nope 2>"$tmp/refused.log" || rc=$?
[ $rc = 2 ] && grep -q 'invalid partition' "$tmp/refused.log" || fail "an invalid partition is not reported with exit code 2"
"$weft" study submit --slurm "$tmp/study.yaml" --out "$tmp/other" --runs-per-task 1 --dry-run 2>"$tmp/limit.log" >/dev/null
grep -q 'arrays of 11 tasks' "$tmp/limit.log" || fail "the largest size of an array is not heeded"

echo "a study on a Slurm cluster: passed in $SECONDS s"

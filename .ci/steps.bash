# Runs the steps of a test suite one after another. To be sourced by a script that defines
# their functions:
#
#   run_steps CACHE NAME FUNCTION [NAME FUNCTION]...
#
# Each step runs in a process group of its own, with set -e. A step fails with its function,
# and is skipped if that prints a line which begins with SKIPPED: and the reason. The first
# failure ends the suite. CACHE keeps how long each step took when it passed last. When the
# script is stopped (Ctrl-C, TERM), all that the steps started is stopped.

# What the steps start has this in its environment, and is found by it if it has left its
# process group.
export WEFT_TEST_RUN=

run_steps() {
	local cache=$1 names=() functions=() place
	shift
	while [ $# -gt 0 ]; do
		names+=("$1")
		functions+=("$2")
		shift 2
	done
	mkdir -p "$cache"
	WEFT_TEST_RUN=$$.$RANDOM$RANDOM
	step_job=
	step_count=${#names[@]} passed=0 failed=0 skipped=0 reasons=()
	step_log=$(mktemp)
	trap 'rm -f "$step_log"' EXIT
	trap 'stop_steps INT 130' INT
	trap 'stop_steps TERM 143' TERM
	trap 'stop_steps HUP 129' HUP
	for place in "${!names[@]}"; do
		printf '\n== %d of %d, after %s: %s%s\n' $((place + 1)) "$step_count" "$(span $SECONDS)" "${names[place]}" "$(forecast "$cache" "$place" "${functions[@]}")"
		# Not within a condition: set -e would not hold in the step.
		run_step "$cache" "${names[place]}" "${functions[place]}"
		[ $failed = 0 ] || break
	done
	trap - INT TERM HUP
	printf '\n'
	[ ${#reasons[@]} = 0 ] || printf '%s\n' "${reasons[@]}"
	if [ $failed = 0 ]; then
		last_line passed
	else
		last_line failed
		return 1
	fi
}

# run_step runs one step, counts it, and keeps its time.
run_step() {
	local cache=$1 name=$2 function=$3 begin=$SECONDS status=0 why
	set -m # a job has a process group of its own
	(
		set -o pipefail
		{ set -e; "$function"; } 2>&1 </dev/null | tee "$step_log"
	) &
	step_job=$!
	set +m
	wait "$step_job" || status=$?
	step_job=
	if [ $status != 0 ]; then
		failed=$((failed + 1))
		reasons+=("FAILED: $name")
		return
	fi
	why=$(sed -n 's/^.*SKIPPED: //p' "$step_log")
	if [ -n "$why" ]; then
		skipped=$((skipped + 1))
		while IFS= read -r line; do reasons+=("SKIPPED: $line"); done <<<"$why"
		return
	fi
	passed=$((passed + 1))
	echo $((SECONDS - begin)) >"$cache/$function"
}

# last_line says how the suite ended, for people and machines.
last_line() {
	local left=$((step_count - passed - failed - skipped)) more=
	[ $left = 0 ] || more=", $left not run"
	printf '== %s after %s: %d passed, %d failed, %d skipped%s\n' "$1" "$(span $SECONDS)" $passed $failed $skipped "$more"
}

span() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# forecast says how long a step took last, and what is left by these times.
forecast() {
	local cache=$1 place=$2 left=0 unknown=0 own= took i
	shift 2
	for ((i = place + 1; i <= $#; i++)); do
		took=$(cat "$cache/${!i}" 2>/dev/null) || took=
		[[ $took =~ ^[0-9]+$ ]] || took=
		[ $i != $((place + 1)) ] || own=$took
		if [ -n "$took" ]; then left=$((left + took)); else unknown=$((unknown + 1)); fi
	done
	printf ' ('
	[ -z "$own" ] || printf 'last time %s; ' "$(span "$own")"
	printf 'about %s left' "$(span $left)"
	[ $unknown = 0 ] || printf ', and that of %d not timed yet' $unknown
	printf ')'
}

# stop_steps ends what runs: first the process group of the step, which may tidy up, then what
# has left it.
stop_steps() {
	trap '' INT TERM HUP
	printf '\nstopping\n'
	if [ -n "$step_job" ]; then
		kill -TERM -- "-$step_job" 2>/dev/null || true
		for _ in $(seq 300); do
			kill -0 -- "-$step_job" 2>/dev/null || break
			sleep 0.1
		done
		kill -KILL -- "-$step_job" 2>/dev/null || true
		wait "$step_job" 2>/dev/null || true
	fi
	local signal
	for signal in TERM KILL; do
		for _ in $(seq 20); do
			[ -n "$(started_here)" ] || break
			kill -s $signal $(started_here) 2>/dev/null || true
			sleep 0.1
		done
	done
	last_line stopped
	exit "$2"
}

# started_here lists the processes that the steps started, where there is /proc.
started_here() {
	env -u WEFT_TEST_RUN grep -lz "^WEFT_TEST_RUN=$WEFT_TEST_RUN\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 || true
}

package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Split describes how runs become tasks: task i executes shard i.
type Split struct {
	Shards int
	// Tasks are the shards that have runs left, in ascending order.
	Tasks []int
	// Most is the largest number of runs in a task.
	Most int
}

// ShardOf returns which of n shards the run at a place belongs to.
type ShardOf func(place, n int) int

// SplitEvenly splits the runs at some places into tasks of about perTask runs, and into at
// most maxTasks tasks. The runs that earlier jobs left may be concentrated in a few shards.
// A slightly larger number of shards can then spread them better.
func SplitEvenly(places []int, of ShardOf, perTask, maxTasks int) Split {
	if len(places) == 0 {
		return Split{Shards: 1}
	}
	least := min(ceilDiv(len(places), perTask), maxTasks)
	fair := ceilDiv(len(places), least)
	var best Split
	for n := least; n <= min(2*least, maxTasks); n++ {
		s := SplitInto(places, of, n)
		if best.Shards == 0 || s.Most < best.Most {
			best = s
		}
		if best.Most <= fair+fair/4 {
			break
		}
	}
	return best
}

// SplitInto splits the runs at some places into n shards.
func SplitInto(places []int, of ShardOf, n int) Split {
	counts := make([]int, n)
	for _, place := range places {
		counts[of(place, n)]++
	}
	s := Split{Shards: n}
	for i, count := range counts {
		if count > 0 {
			s.Tasks = append(s.Tasks, i)
			s.Most = max(s.Most, count)
		}
	}
	return s
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// arrayOf writes tasks in the form that sbatch takes, as in 0-3,7.
func arrayOf(tasks []int) string {
	tasks = slices.Sorted(slices.Values(tasks))
	var parts []string
	for i := 0; i < len(tasks); {
		j := i
		for j+1 < len(tasks) && tasks[j+1] == tasks[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, strconv.Itoa(tasks[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", tasks[i], tasks[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

package throughput

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrNoCLP reports that Exact could not find the program clp.
var ErrNoCLP = errors.New("there is no program clp on the PATH; install CLP of COIN-OR (Debian and Ubuntu: apt install coinor-clp; macOS: brew install clp)")

// Exact returns the throughput as the linear programming solver CLP finds it. It runs the program
// clp with the problem in a file, and returns ErrNoCLP if the program is not installed. CLP's
// simplex takes seconds for some thousands of paths, and much longer for more.
func Exact(ctx context.Context, p *Problem) (float64, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	program, err := exec.LookPath("clp")
	if err != nil {
		return 0, ErrNoCLP
	}
	folder, err := os.MkdirTemp("", "weft-clp-")
	if err != nil {
		return 0, fmt.Errorf("a folder for clp: %w", err)
	}
	defer os.RemoveAll(folder)
	input, output := filepath.Join(folder, "problem.mps"), filepath.Join(folder, "solution")
	f, err := os.Create(input)
	if err != nil {
		return 0, fmt.Errorf("a file for clp: %w", err)
	}
	err = p.WriteMPS(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return 0, fmt.Errorf("a file for clp: %w", err)
	}
	out, err := exec.CommandContext(ctx, program, input, "-primalsimplex", "-solution", output).CombinedOutput()
	if err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, fmt.Errorf("clp failed: %w: %s", err, bytes.TrimSpace(out))
	}
	text, err := os.ReadFile(output)
	if err != nil {
		return 0, fmt.Errorf("clp left no solution: %w: %s", err, bytes.TrimSpace(out))
	}
	return readSolution(text)
}

// readSolution reads the throughput from clp's output: a line with the status, and one line per
// non-zero column. Values have 8 digits.
func readSolution(text []byte) (float64, error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	first := true
	for lines.Scan() {
		if first {
			first = false
			status := strings.TrimSpace(lines.Text())
			if !strings.HasPrefix(strings.ToLower(status), "optimal") {
				return 0, fmt.Errorf("clp found no optimum: it reports %q", status)
			}
			continue
		}
		fields := strings.Fields(lines.Text())
		if len(fields) >= 3 && fields[1] == throughputColumn {
			value, err := strconv.ParseFloat(fields[2], 64)
			if err != nil {
				return 0, fmt.Errorf("clp's throughput: %w", err)
			}
			return value, nil
		}
	}
	return 0, errors.New("clp's solution has no throughput")
}

const throughputColumn = "T"

// WriteMPS writes the problem as a linear program in free MPS, which most solvers read. Columns
// P‹q› are the flows of paths, and T is the throughput, whose negative is minimized. Rows A‹e›
// are arcs, and D‹i› commodities.
func (p *Problem) WriteMPS(w io.Writer) error {
	b := bufio.NewWriter(w)
	used := make([]bool, len(p.capacity))
	for _, e := range p.arcs {
		used[e] = true
	}
	b.WriteString("NAME throughput\nROWS\n N COST\n")
	for e := range p.capacity {
		if used[e] {
			fmt.Fprintf(b, " L A%d\n", e)
		}
	}
	for i := range p.demand {
		fmt.Fprintf(b, " G D%d\n", i)
	}
	b.WriteString("COLUMNS\n")
	fmt.Fprintf(b, " %s COST -1\n", throughputColumn)
	for i, d := range p.demand {
		fmt.Fprintf(b, " %s D%d -%s\n", throughputColumn, i, number(d))
	}
	for i, paths := range p.paths {
		for _, q := range paths {
			fmt.Fprintf(b, " P%d D%d 1\n", q, i)
			for _, e := range p.path(q) {
				fmt.Fprintf(b, " P%d A%d 1\n", q, e)
			}
		}
	}
	b.WriteString("RHS\n")
	for e, c := range p.capacity {
		if used[e] {
			fmt.Fprintf(b, " RHS A%d %s\n", e, number(c))
		}
	}
	b.WriteString("ENDATA\n")
	return b.Flush()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

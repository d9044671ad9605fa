package emulating

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"weft/emulate"
	"weft/internal/readable"
	"weft/record"
	"weft/scenario"
)

// Program is what the command stands on.
type Program struct {
	Stdout, Stderr io.Writer
	// Load reads a scenario file with values set, and chooses one of its variants.
	Load func(path string, sets []string, variant string) (s *scenario.Scenario, notices []string, err error)
	// Notices shows what a user should know.
	Notices func([]string)
	// JSON prints an object.
	JSON func(v any) error
	// Hold makes an interrupt end the command's context alone, until what it returns is called.
	Hold func() (release func())
	// Wrong marks an error that the user has to mend.
	Wrong func(error) error
	// Interrupted makes an error that says what an interrupt left.
	Interrupted func(format string, args ...any) error
	// Status makes an error of an exit status of which all was said.
	Status func(code int) error
	// Sets adds the flag that sets values of a file.
	Sets func(c *cobra.Command, sets *[]string)
}

type flags struct {
	sets    []string
	at      []string
	shell   string
	variant string
	out     string
	json    bool
}

// Command returns weft emulate.
func Command(p Program) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "emulate FILE [--at HOST=COMMAND]... [--shell HOST]",
		Short: "Run programs on the hosts of a scenario's fabric, at the pace of the clock",
		Long: `Run real programs on the hosts of a scenario's fabric. Hosts are network namespaces of Linux, and need
no root. The switches between them are the simulator's, at the pace of the clock: queues, marks,
delays, routes, spraying and faults are those of the file. The file's traffic does not start.

--at runs a line of the shell on a host, and --shell opens one there. At least one of them is needed.
The run ends when all of them have ended, at the file's until, or by an interrupt. The names of all
hosts resolve, as in /etc/hosts; host number n has 10.0.0.0 + n + 1 and fd00:: + n + 1. What programs
write stands behind the name of their host.

At the end it shows how late packets were. A run whose 99th percentile is above half the time of a full frame
shows nothing of the fabric: choose lower rates, larger frames, or an idle machine.

The exit code is 1 if a command failed or packets were too late, 2 if the scenario or a flag is wrong, and
130 if it was interrupted.`,
		Example: `  weft emulate fabric.yaml --at host0='iperf3 -s -1' --at host3='sleep 1; iperf3 -c host0'
  weft emulate fabric.yaml --shell host3
  weft emulate fabric.yaml --at host0='python3 -m http.server' --set until=30s --out out/web`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("emulate takes a scenario file, but got %d arguments; a command for a host follows --at, in quotes: --at host0='COMMAND'", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return p.run(c.Context(), args[0], &f) },
	}
	p.Sets(c, &f.sets)
	c.Flags().StringArrayVar(&f.at, "at", nil, "HOST=COMMAND: run a line of the shell on a host (repeatable)")
	c.Flags().StringVar(&f.shell, "shell", "", "HOST: a shell there for you; commands of --at run beside it")
	c.Flags().StringVar(&f.variant, "variant", "", "variant, if the file compares several")
	c.Flags().StringVar(&f.out, "out", "", "folder for ports, series and faults, as weft run writes them; none is written without")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object at the end; what programs write goes to the standard error")
	return c
}

func (p Program) run(ctx context.Context, path string, f *flags) error {
	commands, err := parse(f.at)
	if err != nil {
		return p.Wrong(err)
	}
	if f.shell != "" {
		commands = append(commands, emulate.Command{Host: f.shell, Line: `exec "${SHELL:-sh}"`, Terminal: true})
	}
	if !emulate.Entering() { // else the process that the user started has done it
		if err := p.check(path, f, commands); err != nil {
			return err
		}
	}
	defer p.Hold()()
	space, status, err := emulate.Enter()
	if err != nil {
		return err
	}
	if space == nil { // the process in the namespaces said all
		if status == 0 {
			return nil
		}
		return p.Status(status)
	}
	s, notices, err := p.Load(path, f.sets, f.variant)
	if err != nil {
		return err
	}
	p.Notices(notices)
	to := p.Stdout
	if f.json {
		to = p.Stderr
	}
	res, err := emulate.Run(ctx, s, space, emulate.Options{
		Commands: commands,
		Output: func(c emulate.Command, line []byte) {
			fmt.Fprintf(to, "%s: %s\n", c.Host, line) // one write, which output makes fit for a terminal
		},
	})
	if err != nil {
		return err
	}
	if f.out != "" {
		res.Manifest.Command = strings.Join(os.Args, " ")
		res.Manifest.Source = s.Path
		if err := record.WriteFolder(f.out, res.Result); err != nil {
			return err
		}
	}
	if f.json {
		err = p.JSON(object(res))
	} else {
		err = text(to, res)
	}
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		if f.out != "" {
			return p.Interrupted("; what was until then is in %s", f.out)
		}
		return p.Interrupted("; the numbers are those until then")
	}
	return verdict(res)
}

// check finds what is wrong before anything is started.
func (p Program) check(path string, f *flags, commands []emulate.Command) error {
	s, _, err := p.Load(path, f.sets, f.variant)
	if err != nil {
		return err
	}
	fabric, err := s.LiveFabric()
	if err != nil {
		return err
	}
	if len(commands) == 0 {
		return p.Wrong(idle(path, fabric.Hosts))
	}
	if err := emulate.Check(fabric, commands); err != nil {
		return p.Wrong(err)
	}
	if f.out != "" {
		return p.Wrong(record.CheckTarget(f.out))
	}
	return nil
}

// idle says that nothing runs on the hosts, and what to type.
func idle(path string, hosts []scenario.LiveHost) error {
	first, last := hosts[0].Name, hosts[len(hosts)-1].Name
	return fmt.Errorf("%s: no host has a program to run, and the file's own traffic does not start; give hosts commands, as in --at %s='ping -c 3 %s', "+
		"or open a shell, as in --shell %[2]s (%[4]s, %[2]s to %[3]s); weft run FILE --on wire sends the file's messages",
		path, first, last, readable.Count(len(hosts), "host"))
}

// parse reads commands for hosts.
func parse(at []string) (list []emulate.Command, err error) {
	var wrong []error
	for _, text := range at {
		host, line, ok := strings.Cut(text, "=")
		if !ok || host == "" || strings.TrimSpace(line) == "" {
			wrong = append(wrong, fmt.Errorf("--at %q is not a host and a command; write --at HOST='COMMAND', as in --at host0='ping -c 3 host1'", text))
			continue
		}
		list = append(list, emulate.Command{Host: host, Line: line})
	}
	return list, errors.Join(wrong...)
}

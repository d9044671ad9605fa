package onwire

import (
	"io"

	"github.com/spf13/cobra"

	"weft/wire/dissector"
)

func (p Program) dissector() *cobra.Command {
	return &cobra.Command{
		Use:   "dissector",
		Short: "Print a dissector of weft's datagrams for Wireshark",
		Long: `Print a script in Lua with which Wireshark and tshark show the fields of datagrams, as in files of
--pcap. What is sealed stays so.`,
		Example: `  weft wire dissector >weft.lua
  wireshark -X lua_script:weft.lua capture.pcapng`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(p.Stdout, dissector.Script())
			return err
		},
	}
}

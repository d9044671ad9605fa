package cli

import "github.com/spf13/cobra"

func (p *program) studySubmit() *cobra.Command { return &cobra.Command{Use: "submit", Hidden: true} }

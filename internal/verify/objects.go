package verify

import "github.com/dsh-verify/dsh-verify/reconstruct"

type objectCheck struct{}

func newObjectCheck() *objectCheck                  { return &objectCheck{} }
func (c *objectCheck) message(*reconstruct.Message) {}
func (c *objectCheck) request(*reconstruct.Request) {}
func (c *objectCheck) close(*run)                   {}

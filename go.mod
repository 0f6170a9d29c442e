module github.com/dsh-verify/dsh-verify

go 1.26.8

require (
	github.com/klauspost/compress v1.20.4
	github.com/urfave/cli/v3 v3.14.0
)

module github.com/dsh-verify/dsh-verify

go 1.26.8

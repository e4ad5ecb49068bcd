// Judges histories of conditional writes (examples/run verification conditional) with Porcupine: whether the
// operations on each register are linearizable. Exit status: 0 linearizable, 1 not, 2 undecided, 3 error.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

const timeout = 2 * time.Minute

// A line of the history. Without Found, the outcome is unknown.
type line struct {
	Client   int
	Register int64
	Op       string
	Call     int64
	Return   int64
	Expected int64
	Written  int64
	Found    *int64
}

// A register, which holds 0 first. An operation with an unknown outcome takes effect at any time after its call. One
// that never takes effect is ordered last, where nobody sees it.
var register = porcupine.Model{
	Init: func() interface{} { return int64(0) },
	Step: func(state, input, _ interface{}) (bool, interface{}) {
		now, operation := state.(int64), input.(line)
		fits := operation.Found == nil || *operation.Found == now
		if operation.Op == "swap" || (operation.Op == "cas" && operation.Expected == now) {
			return fits, operation.Written
		}
		return fits, now
	},
	DescribeOperation: func(input, _ interface{}) string {
		operation := input.(line)
		found := "?"
		if operation.Found != nil {
			found = fmt.Sprint(*operation.Found)
		}
		switch operation.Op {
		case "read":
			return "read: " + found
		case "swap":
			return fmt.Sprintf("swap for %d: %s", operation.Written, found)
		}
		return fmt.Sprintf("%d if %d: %s", operation.Written, operation.Expected, found)
	},
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(3)
}

func read(path string) map[int64][]porcupine.Operation {
	file, err := os.Open(path)
	if err != nil {
		fail(err)
	}
	defer file.Close()
	operations := map[int64][]porcupine.Operation{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var read line
		if err := json.Unmarshal(lines.Bytes(), &read); err != nil {
			fail(err)
		}
		if read.Op != "read" && read.Op != "cas" && read.Op != "swap" {
			fail(fmt.Errorf("%s: no operation %q", path, read.Op))
		}
		if read.Found == nil {
			read.Return = math.MaxInt64
		}
		operations[read.Register] = append(operations[read.Register], porcupine.Operation{
			ClientId: read.Client, Input: read, Call: read.Call, Return: read.Return})
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
	return operations
}

func main() {
	worst := 0
	for _, path := range os.Args[1:] {
		operations := read(path)
		registers := make([]int64, 0, len(operations))
		for number := range operations {
			registers = append(registers, number)
		}
		sort.Slice(registers, func(i, j int) bool { return registers[i] < registers[j] })
		status, total := 0, 0
		for _, number := range registers {
			total += len(operations[number])
			result, info := porcupine.CheckOperationsVerbose(register, operations[number], timeout)
			if result == porcupine.Ok {
				continue
			}
			drawing := fmt.Sprintf("%s.%d.html", path, number)
			if err := porcupine.VisualizePath(register, info, drawing); err != nil {
				fail(err)
			}
			fmt.Printf("%s: register %d with %d operations: %s; see %s\n", path, number, len(operations[number]), result, drawing)
			if result == porcupine.Illegal {
				status = 1
			} else if status == 0 {
				status = 2
			}
		}
		verdict := []string{"linearizable", "not linearizable", "undecided"}[status]
		fmt.Printf("%s: %s, %d registers, %d operations\n", path, verdict, len(registers), total)
		if worst == 0 || status == 1 {
			worst = status
		}
	}
	os.Exit(worst)
}

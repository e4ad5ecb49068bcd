package io.github.stablecut.testing.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * A history of clients' operations on registers of numbers, which are initially 0. Thread-safe.
 *
 * <p>{@link #violation} checks whether it is linearizable.
 */
public final class RegisterHistory {
  private final List<List<RegisterOperation>> operations;
  private int answered;

  /**
   * Creates an empty history.
   *
   * @param registers the number of registers, which are numbered from 0
   */
  public RegisterHistory(int registers) {
    operations =
        IntStream.range(0, registers)
            .<List<RegisterOperation>>mapToObj(i -> new ArrayList<>())
            .toList();
  }

  /**
   * Reads a register. A failed read is not recorded.
   *
   * @param read returns the value found
   */
  public long read(int register, LongSupplier read) {
    long begin = System.nanoTime();
    long found = read.getAsLong();
    answered(register, RegisterOperation.read(begin, System.nanoTime(), found));
    return found;
  }

  /**
   * Writes a number if the register has the expected one. A failed write may take effect at any
   * later time, or never.
   *
   * @param written a unique number
   * @param write returns the value found; it has written if, and only if, that is the expected one
   */
  public long writeIf(int register, long expected, long written, LongSupplier write) {
    long begin = System.nanoTime();
    boolean isAnswered = false;
    try {
      long found = write.getAsLong();
      isAnswered = true;
      answered(
          register, RegisterOperation.write(begin, System.nanoTime(), expected, written, found));
      return found;
    } finally {
      if (!isAnswered) {
        add(register, RegisterOperation.open(begin, expected, written));
      }
    }
  }

  private synchronized void answered(int register, RegisterOperation operation) {
    answered++;
    add(register, operation);
  }

  private synchronized void add(int register, RegisterOperation operation) {
    operations.get(register).add(operation);
  }

  /** The number of answered operations. */
  public synchronized int answered() {
    return answered;
  }

  /** The number of writes with an unknown outcome. */
  public synchronized long open() {
    return operations.stream().flatMap(List::stream).filter(RegisterOperation::isOpen).count();
  }

  /** Returns why the history is not linearizable; empty if it is. */
  public synchronized Optional<String> violation() {
    return operations.stream()
        .flatMap(onOne -> LinearizabilityCheck.violation(onOne).stream())
        .findFirst();
  }
}

package io.github.stablecut.testing.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * What clients did to registers of numbers, which are 0 at first, and were told. Thread-safe.
 *
 * <p>{@link #violation} looks for an order in which it could have happened.
 */
public final class RegisterHistory {
  private final List<List<RegisterOperation>> operations;
  private int answered;

  /**
   * A history in which nothing has happened.
   *
   * @param registers how many there are; they are called 0, 1, …
   */
  public RegisterHistory(int registers) {
    operations =
        IntStream.range(0, registers)
            .<List<RegisterOperation>>mapToObj(i -> new ArrayList<>())
            .toList();
  }

  /**
   * Reads a register. One that fails is as if it had not been called.
   *
   * @param read returns what is found
   */
  public long read(int register, LongSupplier read) {
    long begin = System.nanoTime();
    long found = read.getAsLong();
    answered(register, RegisterOperation.read(begin, System.nanoTime(), found));
    return found;
  }

  /**
   * Writes a number if another one is found. If that fails it may take effect at any time, or
   * never.
   *
   * @param written a number that is written once
   * @param write returns what was found; that was the expected one if, and only if, it has written
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

  /** How many operations were answered. */
  public synchronized int answered() {
    return answered;
  }

  /** Of how many writes nobody knows whether they took effect. */
  public synchronized long open() {
    return operations.stream().flatMap(List::stream).filter(RegisterOperation::isOpen).count();
  }

  /** What speaks against the history; empty if each register has an order. */
  public synchronized Optional<String> violation() {
    return operations.stream()
        .flatMap(onOne -> LinearizabilityCheck.violation(onOne).stream())
        .findFirst();
  }
}

package io.github.stablecut.map;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The expected tables after calls in several data centres, derived from the calls alone: each with
 * its table, and with what was known where it was made.
 */
public final class TablesOfSeveralModel {
  private final List<Call> calls = new ArrayList<>();

  /** The kind of a call. */
  public enum Kind {
    CREATE,
    DROP,
    RENAME,
    TRUNCATE,
    ALTER,
    PUT
  }

  /**
   * A call that a data centre made.
   *
   * @param what the table's name after it, or the key of the record
   * @param columns the table's columns after it
   * @param isPrompt whether nothing was received during the call: otherwise a put may go to the
   *     table's previous location
   */
  public record Call(
      Kind kind,
      String table,
      String what,
      List<String> columns,
      boolean isPrompt,
      RecordDataCentre.Message message) {
    boolean isKnownTo(Call other) {
      return message.isKnownTo(other.message);
    }
  }

  /**
   * The expected view of a table.
   *
   * @param name unless another table has, or had, this name
   * @param records the records that exist
   * @param leftOver the records that may exist: they were put into a table that was dropped before
   *     it was known that another data centre had created the same, or to a table's previous
   *     location
   */
  public record ExpectedTable(
      String name, List<String> columns, Set<String> records, Set<String> leftOver) {}

  public void add(Call call) {
    calls.add(call);
  }

  /** Whether a name was ever given to another table. */
  public boolean wasShared(String name, String table) {
    return calls.stream()
        .anyMatch(
            call ->
                (call.kind == Kind.CREATE || call.kind == Kind.RENAME)
                    && call.what.equals(name)
                    && !call.table.equals(table));
  }

  /** The tables visible to a reader of the given messages. */
  public Map<String, ExpectedTable> tables(List<Integer> heard) {
    Map<String, List<Call>> byTable = new HashMap<>();
    calls.stream()
        .filter(call -> call.message.isIn(heard))
        .forEach(call -> byTable.computeIfAbsent(call.table, id -> new ArrayList<>()).add(call));
    Map<String, ExpectedTable> tables = new HashMap<>();
    byTable.forEach((id, some) -> table(some).ifPresent(table -> tables.put(id, table)));
    return tables;
  }

  private static Optional<ExpectedTable> table(List<Call> all) {
    List<Call> drops = all.stream().filter(call -> call.kind == Kind.DROP).toList();
    List<Call> left =
        all.stream()
            .filter(call -> call.kind != Kind.DROP)
            .filter(call -> drops.stream().noneMatch(call::isKnownTo))
            .toList();
    if (left.stream().noneMatch(call -> call.kind == Kind.CREATE)) {
      return Optional.empty();
    }
    Set<String> records = new HashSet<>();
    Set<String> leftOver = new HashSet<>();
    int now = truncations(all, all.stream());
    for (Call put : all) {
      if (put.kind == Kind.PUT) {
        boolean isLeft =
            left.contains(put)
                && put.isPrompt
                && left.stream().anyMatch(call -> call.kind == Kind.CREATE && call.isKnownTo(put));
        List<Call> seen = all.stream().filter(call -> call.isKnownTo(put)).toList();
        if (truncations(all, seen.stream()) == now) {
          (isLeft ? records : leftOver).add(put.what);
        }
      }
    }
    Call name = last(left, Set.of(Kind.CREATE, Kind.RENAME));
    Call columns = last(left, Set.of(Kind.CREATE, Kind.ALTER));
    return Optional.of(new ExpectedTable(name.what, columns.columns, records, leftOver));
  }

  /** The longest chain of truncations, each of which knew the ones before. */
  private static int truncations(List<Call> all, Stream<Call> some) {
    return some.filter(call -> call.kind == Kind.TRUNCATE)
        .mapToInt(
            call -> 1 + truncations(all, all.stream().filter(before -> before.isKnownTo(call))))
        .max()
        .orElse(0);
  }

  private static Call last(List<Call> calls, Set<Kind> kinds) {
    return calls.stream()
        .filter(call -> kinds.contains(call.kind))
        .max(
            Comparator.comparing(
                Call::message,
                (one, other) -> one.isAfter(other) ? 1 : other.isAfter(one) ? -1 : 0))
        .orElseThrow();
  }
}

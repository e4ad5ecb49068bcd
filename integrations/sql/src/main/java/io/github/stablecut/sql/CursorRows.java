package io.github.stablecut.sql;

import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.calcite.linq4j.AbstractEnumerable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;
import org.jspecify.annotations.Nullable;

/** The rows of a cursor, converted while a query runs. */
final class CursorRows {
  private CursorRows() {}

  /**
   * Returns the rows of a cursor.
   *
   * @param opening opens a cursor for each iteration
   * @param closing closes it at the end
   */
  static <T, C extends Iterator<T>> Enumerable<@Nullable Object[]> of(
      Supplier<C> opening, Consumer<C> closing, Function<T, @Nullable Object[]> row) {
    return new AbstractEnumerable<>() {
      @Override
      public Enumerator<@Nullable Object[]> enumerator() {
        return new Rows<>(opening, closing, row);
      }
    };
  }

  private static final class Rows<T, C extends Iterator<T>>
      implements Enumerator<@Nullable Object[]> {
    private final Supplier<C> opening;
    private final Consumer<C> closing;
    private final Function<T, @Nullable Object[]> row;
    private C cursor;
    private @Nullable Object[] current = new Object[0];

    Rows(Supplier<C> opening, Consumer<C> closing, Function<T, @Nullable Object[]> row) {
      this.opening = opening;
      this.closing = closing;
      this.row = row;
      this.cursor = opening.get();
    }

    @Override
    public @Nullable Object[] current() {
      return current;
    }

    @Override
    public boolean moveNext() {
      if (!cursor.hasNext()) {
        return false;
      }
      current = row.apply(cursor.next());
      return true;
    }

    @Override
    public void reset() {
      close();
      cursor = opening.get();
    }

    @Override
    public void close() {
      closing.accept(cursor);
    }
  }
}

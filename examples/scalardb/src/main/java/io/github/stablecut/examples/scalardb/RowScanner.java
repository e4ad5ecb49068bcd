package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.Result;
import com.scalar.db.common.AbstractScanner;
import com.scalar.db.exception.storage.ExecutionException;
import com.scalar.db.io.Column;
import io.github.stablecut.error.StablecutException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A ScalarDB scanner over rows. Confined to one thread. */
final class RowScanner extends AbstractScanner {
  private final Iterator<Map<String, Column<?>>> rows;
  private final Function<Map<String, Column<?>>, Result> results;
  private final Runnable release;
  private long left;
  private boolean isClosed;

  /**
   * @param limit the maximum number of rows
   * @param release releases the source of the rows
   */
  RowScanner(
      Iterator<Map<String, Column<?>>> rows,
      long limit,
      Function<Map<String, Column<?>>, Result> results,
      Runnable release) {
    this.rows = rows;
    this.left = limit;
    this.results = results;
    this.release = release;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if the scanner is closed
   */
  @Override
  public Optional<Result> one() throws ExecutionException {
    if (isClosed) {
      throw new IllegalStateException("the scanner is closed: scan again");
    }
    try {
      if (left == 0 || !rows.hasNext()) {
        return Optional.empty();
      }
      left--;
      return Optional.of(results.apply(rows.next()));
    } catch (StablecutException e) {
      throw new ExecutionException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public List<Result> all() throws ExecutionException {
    List<Result> all = new ArrayList<>();
    for (Optional<Result> next = one(); next.isPresent(); next = one()) {
      all.add(next.get());
    }
    return all;
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      release.run();
    }
  }
}

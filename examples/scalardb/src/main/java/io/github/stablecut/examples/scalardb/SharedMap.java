package io.github.stablecut.examples.scalardb;

import com.scalar.db.config.DatabaseConfig;
import io.github.stablecut.map.TableMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tables that several storages and administrations of a process share: a directory is opened once,
 * and closed with the last of them. Thread-safe.
 */
public final class SharedMap implements AutoCloseable {
  /** ScalarDB's users put blobs of up to 100 million bytes; each is in a transaction of its own. */
  private static final int VALUE_BYTES = 128 << 20;

  private static final Map<String, Shared> OPEN = new HashMap<>();

  private final String uri;
  private final TableMap map;
  private boolean isClosed;

  private static final class Shared {
    final TableMap map;
    int users;

    Shared(TableMap map) {
      this.map = map;
    }
  }

  private SharedMap(String uri, TableMap map) {
    this.uri = uri;
    this.map = map;
  }

  /**
   * The tables that {@code scalar.db.contact_points} names: a directory, or a URI for {@link
   * TableMap#open}.
   *
   * @throws IllegalArgumentException if it names none, or several
   */
  static SharedMap open(DatabaseConfig config) {
    List<String> points = config.getContactPoints();
    if (points.size() != 1) {
      throw new IllegalArgumentException(
          "%s has %d values: name one directory, or one URI such as stablecut:data?partitions=4"
              .formatted(DatabaseConfig.CONTACT_POINTS, points.size()));
    }
    return open(uri(points.get(0)));
  }

  private static String uri(String point) {
    if (point.matches("[a-z][a-z0-9+.-]+:.*")) {
      return point;
    }
    return "stablecut:" + point + (point.contains("?") ? "&" : "?") + "value-bytes=" + VALUE_BYTES;
  }

  private static SharedMap open(String uri) {
    return share(uri, () -> TableMap.open(uri));
  }

  private interface Opening {
    TableMap open();
  }

  private static SharedMap share(String uri, Opening opening) {
    synchronized (OPEN) {
      Shared shared = OPEN.get(uri);
      if (shared == null) {
        shared = new Shared(opening.open());
        OPEN.put(uri, shared);
      }
      shared.users++;
      return new SharedMap(uri, shared.map);
    }
  }

  /**
   * Makes tables known under a name for {@code scalar.db.contact_points}, such as those of a
   * cluster's node, until this is closed.
   *
   * @param uri a name that looks like a URI, and that nothing opens: {@code member:1}
   * @param map is closed by its owner, after the last user of the name
   */
  public static SharedMap register(String uri, TableMap map) {
    return share(uri, () -> map);
  }

  TableMap map() {
    return map;
  }

  @Override
  public void close() {
    synchronized (OPEN) {
      Shared shared = OPEN.get(uri);
      if (isClosed || shared == null) {
        return;
      }
      isClosed = true;
      shared.users--;
      if (shared.users == 0) {
        OPEN.remove(uri);
        shared.map.close();
      }
    }
  }
}

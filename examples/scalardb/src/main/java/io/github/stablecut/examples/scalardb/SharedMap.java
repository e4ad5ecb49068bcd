package io.github.stablecut.examples.scalardb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.scalar.db.config.DatabaseConfig;
import io.github.stablecut.map.TableMap;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Tables that several storages and administrations of a process share: a contact point is opened
 * once, and closed with its last user. Thread-safe.
 */
public final class SharedMap implements AutoCloseable {
  /** ScalarDB's users put blobs of up to 100 million bytes, each in a separate transaction. */
  private static final int VALUE_BYTES = 128 << 20;

  private static final Map<String, SharedTables> OPEN = new HashMap<>();

  private final String uri;
  private final SharedTables shared;
  private volatile boolean isClosed;

  private static final class SharedTables {
    final TableMap map;
    final boolean isOwned;
    int users;

    SharedTables(TableMap map, boolean isOwned) {
      this.map = map;
      this.isOwned = isOwned;
    }
  }

  private SharedMap(String uri, SharedTables shared) {
    this.uri = uri;
    this.shared = shared;
  }

  /**
   * Opens the tables that {@code scalar.db.contact_points} names: a directory, or a URI for {@link
   * TableMap#open}, such as {@code stablecut://HOST:PORT,HOST:PORT} for the servers of a cluster.
   *
   * @throws IllegalArgumentException if it names none, or several
   */
  static SharedMap open(DatabaseConfig config) {
    List<String> points = config.getContactPoints();
    // ScalarDB splits the value at its commas.
    boolean areServers = !points.isEmpty() && points.get(0).matches("stablecut(\\+tls)?://.*");
    if (points.size() != 1 && !areServers) {
      throw new IllegalArgumentException(
          "%s has %d values: name one directory, or one URI such as stablecut:data?partitions=4 or stablecut://HOST:PORT,HOST:PORT"
              .formatted(DatabaseConfig.CONTACT_POINTS, points.size()));
    }
    return open(uri(String.join(",", points)));
  }

  private static String uri(String point) {
    if (point.matches("[a-z][a-z0-9+.-]+:.*")) {
      return point;
    }
    if (point.contains("?")) {
      throw new IllegalArgumentException(
          "%s=%s is ambiguous: for a directory with settings, write stablecut:%s; for a directory with a question mark in its name, write stablecut: and %%3F for the mark"
              .formatted(DatabaseConfig.CONTACT_POINTS, point, point));
    }
    String path = Path.of(point).toAbsolutePath().normalize().toUri().getRawPath();
    String directory =
        path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    return "stablecut:" + directory + "?value-bytes=" + VALUE_BYTES;
  }

  private static SharedMap open(String uri) {
    synchronized (OPEN) {
      SharedTables shared = OPEN.get(uri);
      return share(uri, shared == null ? new SharedTables(TableMap.open(uri), true) : shared);
    }
  }

  @GuardedBy("OPEN")
  private static SharedMap share(String uri, SharedTables shared) {
    OPEN.put(uri, shared);
    shared.users++;
    return new SharedMap(uri, shared);
  }

  /**
   * Registers tables, such as those of a cluster's node, under a name for {@code
   * scalar.db.contact_points}, until this and all storages that use the name are closed.
   *
   * @param uri a name in the form of a URI that nothing else opens: {@code member:1}
   * @param map stays open; its owner closes it afterwards
   * @throws IllegalArgumentException if the name is in use
   */
  public static SharedMap register(String uri, TableMap map) {
    Objects.requireNonNull(map, "map");
    synchronized (OPEN) {
      if (OPEN.containsKey(uri)) {
        throw new IllegalArgumentException(
            "the name %s is already in use: choose another name, or close its users"
                .formatted(uri));
      }
      return share(uri, new SharedTables(map, false));
    }
  }

  /**
   * The tables.
   *
   * @throws IllegalStateException if this is closed
   */
  TableMap map() {
    if (isClosed) {
      throw new IllegalStateException("the storage of %s is closed: open it again".formatted(uri));
    }
    return shared.map;
  }

  /** Closes the tables with their last user. Idempotent. */
  @Override
  public void close() {
    synchronized (OPEN) {
      if (isClosed) {
        return;
      }
      isClosed = true;
      shared.users--;
      if (shared.users == 0) {
        OPEN.remove(uri);
        if (shared.isOwned) {
          shared.map.close();
        }
      }
    }
  }
}

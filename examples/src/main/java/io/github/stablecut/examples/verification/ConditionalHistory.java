package io.github.stablecut.examples.verification;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Records operations on registers to a file, one line of JSON each. Operations that certainly had
 * no effect are left out. Thread-safe.
 *
 * <pre>{@code
 * {"client":0,"register":3,"op":"read","call":812,"return":934,"found":7}
 * {"client":1,"register":3,"op":"cas","call":815,"return":997,"expected":7,"written":9,"found":7}
 * {"client":2,"register":3,"op":"swap","call":816,"written":11}
 * }</pre>
 *
 * <p>The values are numbers; 0 is an empty register. Times are nanoseconds of one clock. {@code
 * cas} has written its value if it found what it expected, {@code swap} always. Without {@code
 * return} and {@code found}, the outcome is unknown.
 */
final class ConditionalHistory implements AutoCloseable {
  @GuardedBy("this")
  private final BufferedWriter out;

  private ConditionalHistory(BufferedWriter out) {
    this.out = out;
  }

  /** Creates a file, replacing an existing one. */
  static ConditionalHistory create(Path file) throws IOException {
    return new ConditionalHistory(Files.newBufferedWriter(file, UTF_8));
  }

  /** An operation that a client has called. Immutable. */
  record Call(int client, long register, long callNanos) {
    ObjectNode read() {
      return line("read");
    }

    ObjectNode compareAndSet(long expected, long written) {
      return line("cas").put("expected", expected).put("written", written);
    }

    ObjectNode swap(long written) {
      return line("swap").put("written", written);
    }

    private ObjectNode line(String op) {
      return JsonNodeFactory.instance
          .objectNode()
          .put("client", client)
          .put("register", register)
          .put("op", op)
          .put("call", callNanos);
    }
  }

  /** Records an operation with its answer. */
  void answered(ObjectNode operation, long returnNanos, long found) {
    write(operation.put("return", returnNanos).put("found", found));
  }

  /** Records an operation whose outcome is unknown. */
  void unknown(ObjectNode operation) {
    write(operation);
  }

  private synchronized void write(ObjectNode line) {
    try {
      out.write(line + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Completes the file. */
  @Override
  public synchronized void close() throws IOException {
    out.close();
  }
}

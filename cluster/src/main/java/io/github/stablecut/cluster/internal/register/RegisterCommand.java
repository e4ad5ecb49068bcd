package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.internal.replica.Configuration;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An entry of the register's log: a read, or a compare-and-set. Immutable. Its bytes, big-endian:
 * partition (4), 1 if there is a configuration, else 0 (1), and the configuration: epoch (8),
 * leader, number of voters (4), voters; texts as by {@link DataOutputStream#writeUTF}.
 *
 * @param partition the partition whose configuration is read or replaced
 * @param next the new configuration, which takes effect if the current one has the preceding epoch,
 *     or there is none; empty to read
 */
record RegisterCommand(int partition, Optional<Configuration> next) {
  byte[] toBytes() {
    return bytes(
        out -> {
          out.writeInt(partition);
          out.writeByte(next.isPresent() ? 1 : 0);
          if (next.isPresent()) {
            write(out, next.get());
          }
        });
  }

  static RegisterCommand read(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int partition = in.readInt();
      return new RegisterCommand(
          partition, in.readByte() == 0 ? Optional.empty() : Optional.of(configuration(in)));
    } catch (IOException e) {
      throw new UncheckedIOException("an entry of the configuration register is malformed", e);
    }
  }

  /** The outcome of a command: whether it replaced the configuration, and the current one. */
  record Outcome(boolean hasWon, Optional<Configuration> now) {
    byte[] toBytes() {
      return bytes(
          out -> {
            out.writeByte(hasWon ? 1 : 0);
            out.writeByte(now.isPresent() ? 1 : 0);
            if (now.isPresent()) {
              write(out, now.get());
            }
          });
    }

    static Outcome read(byte[] bytes) {
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
        boolean hasWon = in.readByte() == 1;
        return new Outcome(
            hasWon, in.readByte() == 0 ? Optional.empty() : Optional.of(configuration(in)));
      } catch (IOException e) {
        throw new UncheckedIOException("an answer of the configuration register is malformed", e);
      }
    }
  }

  private interface Content {
    void write(DataOutputStream out) throws IOException;
  }

  private static byte[] bytes(Content content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      content.write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, Configuration configuration) throws IOException {
    out.writeLong(configuration.epoch());
    out.writeUTF(configuration.leader());
    out.writeInt(configuration.voters().size());
    for (String voter : configuration.voters()) {
      out.writeUTF(voter);
    }
  }

  private static Configuration configuration(DataInputStream in) throws IOException {
    long epoch = in.readLong();
    String leader = in.readUTF();
    int count = in.readInt();
    List<String> voters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      voters.add(in.readUTF());
    }
    return new Configuration(epoch, leader, voters);
  }
}

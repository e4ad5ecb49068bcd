package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * A request of a backup for the next piece of a partition, where the store's partitions are on
 * several nodes. A backup reads {@link Contents} first, then each file in pieces, then the records
 * of the snapshot's history. Immutable.
 *
 * @param reader identifies this attempt to read the partition; unique
 * @param at the snapshot to back up, which the backup's writer has registered as active
 * @param file the name of a run, {@link #RECORDS}, or empty for the contents, which come first
 * @param from where the piece begins: for a run a byte offset, for the records the {@code next} of
 *     the previous piece, and 0 at first
 */
public record BackupReadRequest(long reader, VectorClock at, String file, long from) {
  /** Requests the records. No run has this name. */
  public static final String RECORDS = "JOURNAL";

  /**
   * A piece of a partition.
   *
   * @param next where the next piece begins; {@link #DONE} after the last one; {@link #RESTART} if
   *     the partition does not know the reader, so that a new one must start
   * @param bytes of the run, records in the backup's format, or encoded contents
   */
  public record Piece(long next, Bytes bytes) {
    /** There is no next piece. */
    public static final long DONE = -1;

    /** A new reader must start, with the contents. */
    public static final long RESTART = -2;

    private static final int HEAD_BYTES = Long.BYTES + Integer.BYTES;

    static Piece restart() {
      return new Piece(RESTART, Bytes.EMPTY);
    }

    /** The last piece. */
    static Piece last(byte[] bytes) {
      return new Piece(DONE, Bytes.wrap(bytes));
    }

    /** The encoded piece: where the next one begins, CRC32C of the bytes, the bytes. */
    public Bytes encode() {
      byte[] all = bytes.toArray();
      ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + all.length);
      out.putLong(next).putInt(checksum(all, 0)).put(all);
      return Bytes.wrap(out.array());
    }

    /**
     * Decodes a piece.
     *
     * @throws FormatException if the bytes are malformed
     */
    public static Piece decode(Bytes encoded) {
      byte[] all = encoded.toArray();
      if (all.length < HEAD_BYTES) {
        throw damaged();
      }
      ByteBuffer in = ByteBuffer.wrap(all);
      long next = in.getLong();
      if (in.getInt() != checksum(all, HEAD_BYTES) || next < RESTART) {
        throw damaged();
      }
      return new Piece(next, encoded.slice(HEAD_BYTES, all.length));
    }

    private static int checksum(byte[] bytes, int from) {
      CRC32C sum = new CRC32C();
      sum.update(bytes, from, bytes.length - from);
      return (int) sum.getValue();
    }
  }

  /**
   * The files of a partition.
   *
   * @param heads the small files that belong to the runs, by name
   * @param runs the runs
   */
  public record Contents(SortedMap<String, Bytes> heads, List<Run> runs) {
    /**
     * A run.
     *
     * @param bytes its length
     */
    public record Run(String name, long bytes) {}

    /** Copies the list of runs. */
    public Contents {
      runs = List.copyOf(runs);
    }

    byte[] encode() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        out.writeInt(heads.size());
        for (Map.Entry<String, Bytes> head : heads.entrySet()) {
          out.writeUTF(head.getKey());
          out.writeInt(head.getValue().length());
          out.write(head.getValue().toArray());
        }
        out.writeInt(runs.size());
        for (Run run : runs) {
          out.writeUTF(run.name);
          out.writeLong(run.bytes);
        }
      } catch (IOException e) {
        throw new UncheckedIOException("memory is read-only", e);
      }
      return bytes.toByteArray();
    }

    /**
     * Decodes the contents in a piece.
     *
     * @throws FormatException if the piece holds something else
     */
    public static Contents decode(Piece piece) {
      byte[] all = piece.bytes.toArray();
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(all))) {
        SortedMap<String, Bytes> heads = new TreeMap<>();
        for (int left = in.readInt(); left > 0; left--) {
          String name = in.readUTF();
          int length = in.readInt();
          if (length < 0 || length > all.length) {
            throw damaged();
          }
          heads.put(name, Bytes.wrap(in.readNBytes(length)));
        }
        List<Run> runs = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
          runs.add(new Run(in.readUTF(), in.readLong()));
        }
        return new Contents(heads, runs);
      } catch (IOException e) {
        throw damaged();
      }
    }
  }

  private static FormatException damaged() {
    return new FormatException(
        "another node's reply to a backup of a partition is malformed: make the backup again");
  }
}

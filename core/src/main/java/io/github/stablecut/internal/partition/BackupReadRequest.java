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
 * What a backup of a store whose partitions are on several nodes wants to have of a partition next:
 * first {@link Contents}, then each file part by part, and the records of its past. Immutable.
 *
 * @param reader stands for this attempt to read the partition; no other one has it
 * @param at the snapshot that the backup is of, which its writer claims
 * @param file the name of a run, {@link #RECORDS}, or empty for the contents, which come first
 * @param from where the part begins: of a run the first byte, of the records what the piece before
 *     has said, and 0 at first
 */
public record BackupReadRequest(long reader, VectorClock at, String file, long from) {
  /** Stands for the records. No run has this name. */
  public static final String RECORDS = "JOURNAL";

  /**
   * A part.
   *
   * @param next where the next part begins; {@link #DONE} if this was the last one, {@link #ANEW}
   *     if the partition knows nothing of the reader (any more), and another one is to begin
   * @param bytes of the run, records as a backup has them, or encoded contents
   */
  public record Piece(long next, Bytes bytes) {
    /** There is no next part. */
    public static final long DONE = -1;

    /** Somebody else has to begin, with the contents. */
    public static final long ANEW = -2;

    private static final int HEAD_BYTES = Long.BYTES + Integer.BYTES;

    static Piece anew() {
      return new Piece(ANEW, Bytes.EMPTY);
    }

    /** The last part. */
    static Piece last(byte[] bytes) {
      return new Piece(DONE, Bytes.wrap(bytes));
    }

    /** As it is sent: where the next part begins, CRC32C of the bytes, the bytes. */
    public Bytes encode() {
      byte[] all = bytes.toArray();
      ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + all.length);
      out.putLong(next).putInt(checksum(all, 0)).put(all);
      return Bytes.wrap(out.array());
    }

    /**
     * As it was sent.
     *
     * @throws FormatException if it is something else
     */
    public static Piece decode(Bytes encoded) {
      byte[] all = encoded.toArray();
      if (all.length < HEAD_BYTES) {
        throw damaged();
      }
      ByteBuffer in = ByteBuffer.wrap(all);
      long next = in.getLong();
      if (in.getInt() != checksum(all, HEAD_BYTES) || next < ANEW) {
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
   * What there is of a partition.
   *
   * @param heads small files by name, which belong to the runs
   * @param runs the bytes of its runs by name
   */
  public record Contents(SortedMap<String, Bytes> heads, List<Run> runs) {
    /**
     * A run.
     *
     * @param bytes its length
     */
    public record Run(String name, long bytes) {}

    /** Copies. */
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
        throw new UncheckedIOException("memory can't be written to", e);
      }
      return bytes.toByteArray();
    }

    /**
     * The contents in a piece.
     *
     * @throws FormatException if it has something else
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
          var unused = heads.put(name, Bytes.wrap(in.readNBytes(length)));
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
        "what another node has told of a partition for a backup is malformed: make the backup again");
  }
}

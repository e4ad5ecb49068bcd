package io.github.stablecut.cluster.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.replica.LogEnd;
import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Messages between replicas are decoded as encoded, and malformed bytes are refused. */
class ReplicaMessageProperties {
  private static ReplicaMessage message(Random random) {
    long epoch = random.nextInt(1_000);
    long number = 1L + random.nextInt(1_000_000);
    LogEnd end = new LogEnd(epoch, number, random.nextBoolean());
    return switch (random.nextInt(21)) {
      case 0 -> group(epoch, number, random);
      case 1 ->
          new ReplicaMessage.Acknowledged(
              epoch,
              number,
              random.nextBoolean(),
              Arrays.asList(LogSpace.values()).get(random.nextInt(LogSpace.values().length)));
      case 2 -> new ReplicaMessage.LogMismatch(epoch, number, epochs(random));
      case 3 -> new ReplicaMessage.StaleEpoch(epoch);
      case 4 -> new ReplicaMessage.VoteRequest(epoch);
      case 5 -> new ReplicaMessage.Vote(epoch, end);
      case 6 -> new ReplicaMessage.ReadIndexRequest(epoch, number);
      case 7 -> new ReplicaMessage.ReadIndexConfirmed(epoch, number);
      case 8 -> new ReplicaMessage.PreVoteRequest(epoch, number);
      case 9 -> new ReplicaMessage.LearnerRequest(epoch);
      case 10 -> new ReplicaMessage.RecordsDropped(epoch, number);
      case 11 ->
          new ReplicaMessage.CheckpointRequest(epoch, random.nextBoolean() ? "" : "run-7", number);
      case 12 ->
          new ReplicaMessage.CheckpointListing(
              epoch,
              number,
              epoch,
              List.of(new ReplicaMessage.FileLength("run-7", number)),
              List.of(new ReplicaMessage.SmallFile("MANIFEST-3", bytes(random))));
      case 13 ->
          new ReplicaMessage.FileChunk(epoch, "run-8", number, bytes(random), random.nextInt());
      case 14 -> new ReplicaMessage.CompleteTimeRequest(epoch);
      case 15 -> new ReplicaMessage.CompleteTime(epoch, number + 7, number);
      case 16 -> new ReplicaMessage.TimeoutNow(epoch);
      case 17 -> new ReplicaMessage.TransferDeclined(epoch);
      case 18 -> new ReplicaMessage.RecoveryRequest(epoch, random.nextLong(Long.MAX_VALUE), number);
      case 19 -> new ReplicaMessage.RecoveryTarget(epoch, random.nextLong(Long.MAX_VALUE), number);
      default -> new ReplicaMessage.PreVote(epoch, number, random.nextBoolean(), end);
    };
  }

  private static Bytes bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(50)];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  private static ReplicaMessage group(long epoch, long number, Random random) {
    List<LogRecord> records = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      byte[] body = new byte[random.nextInt(50)];
      random.nextBytes(body);
      records.add(new LogRecord((byte) random.nextInt(128), body));
    }
    long ofRecords = epoch - random.nextInt((int) epoch + 1);
    return new ReplicaMessage.Group(
        epoch, number, ofRecords - random.nextInt((int) ofRecords + 1), ofRecords, records, number);
  }

  private static LogEpochs epochs(Random random) {
    List<LogEpochs.Start> starts = new ArrayList<>();
    long first = 1;
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      starts.add(new LogEpochs.Start(random.nextInt(1_000), first));
      first += 1 + random.nextInt(100);
    }
    return new LogEpochs(starts);
  }

  private static Bytes encode(ReplicaMessage message) {
    return RequestCodec.encode(new Request.ToReplica("n1", "n2", message));
  }

  private static Request decode(byte[] bytes) {
    return RequestCodec.ofNode().decode(Bytes.wrap(bytes), 0);
  }

  @Property
  void decodesItsOwnEncoding(@ForAll long seed) {
    ReplicaMessage message = message(new Random(seed));

    Request read = decode(encode(message).toArray());

    assertThat(((Request.ToReplica) read).from()).isEqualTo("n1");
    assertThat(((Request.ToReplica) read).to()).isEqualTo("n2");
    assertThat(((Request.ToReplica) read).message()).usingRecursiveComparison().isEqualTo(message);
  }

  @Property
  void refusesMalformedBytesWithoutOtherExceptions(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] whole = encode(message(random)).toArray();
    byte[] bad = random.nextBoolean() ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole;
    for (int i = random.nextInt(4); i > 0 && bad.length > 1; i--) {
      bad[1 + random.nextInt(bad.length - 1)] = (byte) random.nextInt();
    }

    try {
      assertThat(decode(bad)).isNotNull();
    } catch (BadMessageException e) {
      assertThat(e).hasMessageStartingWith("malformed message between nodes");
    }
  }
}

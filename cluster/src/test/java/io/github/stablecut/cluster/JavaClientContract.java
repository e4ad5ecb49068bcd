package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import eu.antidotedb.client.AntidoteClient;
import eu.antidotedb.client.AntidoteStaticTransaction;
import eu.antidotedb.client.BatchRead;
import eu.antidotedb.client.BatchReadResult;
import eu.antidotedb.client.Bucket;
import eu.antidotedb.client.CounterKey;
import eu.antidotedb.client.InteractiveTransaction;
import eu.antidotedb.client.Key;
import eu.antidotedb.client.MVRegisterKey;
import eu.antidotedb.client.MapKey;
import eu.antidotedb.client.RegisterKey;
import eu.antidotedb.client.SetKey;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The behaviour of AntidoteDB's Java client of Maven Central, with the types that both sides know.
 */
abstract class JavaClientContract {
  private static final CounterKey LIKES = Key.counter("likes");

  /** A bucket for each test, as tests may share servers. */
  private final Bucket bucket = Bucket.bucket("java" + System.nanoTime());

  private AntidoteClient client;

  /** The servers' addresses. */
  abstract InetSocketAddress address();

  /** A client of these servers; the client cannot be closed. */
  AntidoteClient connected() {
    return new AntidoteClient(address());
  }

  @BeforeEach
  void connect() {
    client = connected();
  }

  @Test
  void countsAndReadsWithoutTransactions() {
    bucket.update(client.noTransaction(), LIKES.increment(5));
    bucket.update(client.noTransaction(), LIKES.increment(-2));

    assertThat(bucket.read(client.noTransaction(), LIKES)).isEqualTo(3);
  }

  @Test
  void readsItsOwnWritesInATransactionAndAborts() {
    try (InteractiveTransaction transaction = client.startTransaction()) {
      bucket.update(transaction, LIKES.increment(1));
      assertThat(bucket.read(transaction, LIKES)).isEqualTo(1);
      assertThat(bucket.read(client.noTransaction(), LIKES)).isZero();
      transaction.commitTransaction();
    }
    try (InteractiveTransaction transaction = client.startTransaction()) {
      bucket.update(transaction, LIKES.increment(1));
      transaction.abortTransaction();
    }

    assertThat(bucket.read(client.noTransaction(), LIKES)).isEqualTo(1);
  }

  @Test
  void updatesSeveralObjectsAtOnceAndReadsThemAtOnce() {
    RegisterKey<String> title = Key.register("title");
    MVRegisterKey<String> names = Key.multiValueRegister("names");
    SetKey<String> tags = Key.set("tags");
    SetKey<String> without = Key.set_removeWins("without");
    AntidoteStaticTransaction transaction = client.createStaticTransaction();
    bucket.updates(
        transaction,
        title.assign("Dune"),
        names.assign("a"),
        tags.addAll("b", "a", "c"),
        tags.remove("c"),
        without.add("x"),
        LIKES.increment(7));
    transaction.commitTransaction();

    BatchRead batch = client.newBatchRead();
    BatchReadResult<String> readTitle = bucket.read(batch, title);
    BatchReadResult<Integer> readLikes = bucket.read(batch, LIKES);
    batch.commit(client.noTransaction());
    assertThat(readTitle.get()).isEqualTo("Dune");
    assertThat(readLikes.get()).isEqualTo(7);
    assertThat(bucket.read(client.noTransaction(), names)).containsExactly("a");
    assertThat(bucket.read(client.noTransaction(), tags)).containsExactly("a", "b");
    assertThat(bucket.read(client.noTransaction(), without)).containsExactly("x");
  }

  @Test
  void nestsObjectsInMapsAndRemovesThem() {
    MapKey map = Key.map_rr("map");
    SetKey<String> tags = Key.set("tags");
    bucket.update(client.noTransaction(), map.update(LIKES.increment(2), tags.add("x")));
    assertThat(bucket.read(client.noTransaction(), map).get(LIKES)).isEqualTo(2);

    bucket.update(client.noTransaction(), map.removeKeys(LIKES));

    assertThat(bucket.read(client.noTransaction(), map).keySet()).hasSize(1);
    assertThat(bucket.read(client.noTransaction(), map).get(tags)).containsExactly("x");
  }

  @Test
  void refusesATypeThatTheServerDoesNotHave() {
    assertThatThrownBy(() -> bucket.update(client.noTransaction(), Key.integer("n").increment(1)))
        .hasMessageContaining("no data type number 7");
  }
}

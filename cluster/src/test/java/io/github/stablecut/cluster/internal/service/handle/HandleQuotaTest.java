package io.github.stablecut.cluster.internal.service.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The permits for a kind of handle, and the shares of clients. */
class HandleQuotaTest {
  private static final int ALL = 10;

  private final HandleQuota permits =
      new HandleQuota(
          new HandleQuota.Kind("watches", "store.max-watches", "close some", Optional.empty()),
          ALL,
          new HandleShares(20, 40, 60, Duration.ofSeconds(1)));

  private static Client client(String address, String user) {
    return new Client(() -> new Origin(address, Optional.of(user).filter(name -> !name.isEmpty())));
  }

  private void take(int number, Client client) {
    for (int i = 0; i < number; i++) {
      assertThat(permits.acquire(client)).isNotNull();
    }
  }

  private void assertRefused(Client client, String... words) {
    assertThatThrownBy(() -> permits.acquire(client))
        .isInstanceOf(BusyException.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void oneConnectionHasAShare() {
    Client client = client("10.0.0.1", "");
    take(2, client);

    assertRefused(
        client,
        "2 watches of this connection",
        "the 10 that",
        "handles.share-per-connection",
        "store.max-watches");
    take(2, client("10.0.0.1", ""));
  }

  @Test
  void allConnectionsOfAnAddressHaveAShare() {
    take(2, client("10.0.0.1", ""));
    take(2, client("10.0.0.1", ""));

    assertRefused(
        client("10.0.0.1", ""), "4 watches of this client's address", "handles.share-per-address");
    take(2, client("10.0.0.2", ""));
  }

  @Test
  void allConnectionsOfAUserHaveAShareFromWhateverAddress() {
    for (int i = 0; i < 3; i++) {
      take(2, client("10.0.0." + i, "CN=one"));
    }

    assertRefused(client("10.0.0.4", "CN=one"), "6 watches of this user", "handles.share-per-user");
    take(2, client("10.0.0.4", "CN=two"));
  }

  @Test
  void onlyPermitsThatCountForTheExhaustedShareAreReclaimed() {
    Client first = client("10.0.0.1", "CN=one");
    Client second = client("10.0.0.1", "CN=one");
    Client third = client("10.0.0.1", "CN=two");
    List<HandleQuota.Permit> taken =
        List.of(permits.acquire(first), permits.acquire(first), permits.acquire(second));

    assertThatThrownBy(() -> permits.acquire(first, isUseful -> tryReclaim(taken.get(2), isUseful)))
        .hasMessageContaining("of this connection");
    assertThat(permits.count()).isEqualTo(3);
    assertThat(permits.acquire(first, isUseful -> tryReclaim(taken.get(0), isUseful))).isNotNull();
    take(1, third);

    assertThatThrownBy(
            () -> otherKind(third).acquire(third, isUseful -> tryReclaim(taken.get(2), isUseful)))
        .as("of another kind")
        .isInstanceOf(BusyException.class);
    assertThat(permits.count()).isEqualTo(4);
    assertThat(permits.acquire(third, isUseful -> tryReclaim(taken.get(2), isUseful))).isNotNull();
    assertThat(permits.count()).isEqualTo(4);
  }

  private boolean tryReclaim(HandleQuota.Permit permit, Predicate<HandleQuota.Permit> isUseful) {
    if (!isUseful.test(permit)) {
      return false;
    }
    int before = permits.count();
    permit.release();
    return permits.count() < before;
  }

  private static HandleQuota otherKind(Client client) {
    HandleQuota full =
        new HandleQuota(
            new HandleQuota.Kind("pins", "transactions.max-open", "close some", Optional.empty()),
            1,
            new HandleShares(100, 100, 100, Duration.ofSeconds(1)));
    assertThat(full.acquire(client)).isNotNull();
    return full;
  }

  @Test
  void aPlaceIsFreedOnceAndThereAreNoMoreThanAll() {
    Client first = client("10.0.0.0", "");
    HandleQuota.Permit permit = permits.acquire(first);
    for (int i = 1; i <= 4; i++) {
      take(2, client("10.0.0." + i, ""));
    }
    take(1, first);
    assertRefused(client("10.0.0.9", ""), "10 watches are open", "raise store.max-watches");

    permit.release();
    permit.release();

    assertThat(permits.count()).isEqualTo(ALL - 1);
    take(1, first);
    assertRefused(first, "10 watches are open");
  }
}

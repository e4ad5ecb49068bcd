package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.datacentre.UnconnectedDataCentre;
import io.github.stablecut.cluster.internal.service.handle.Client;
import io.github.stablecut.crdt.Bytes;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that manage data centres, at a cluster that already is one. */
class DataCentreRequestsTest {
  private final DataCentreRequests cluster =
      new DataCentreRequests(new UnconnectedDataCentre(() -> 7), () -> 3, true);

  @Test
  void creationMayNameAllNodesTheContactedOneOrNone() {
    for (List<String> named :
        List.<List<String>>of(List.of("a", "b", "c"), List.of("a"), List.of())) {
      assertThat(cluster.answer(new Request.CreateDataCentre(named)))
          .isEqualTo(new Response.DataCentreCreated());
    }
  }

  @Test
  void unexpectedFailuresAreRefusalsToo(@TempDir Path directory) {
    DataCentreRequests broken =
        new DataCentreRequests(
            new UnconnectedDataCentre(
                () -> {
                  throw new IllegalStateException("nobody knows the store");
                }),
            () -> {
              throw new IllegalStateException("nobody knows the nodes");
            },
            true);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      RequestHandler handler =
          TestService.requests(store, TestService.transactions(), broken, 1 << 20);
      Client client = TestService.client();

      assertThat(handler.handle(new Request.CreateDataCentre(List.of("a", "b")), client).join())
          .isInstanceOfSatisfying(
              Response.DataCentreNotCreated.class,
              refusal -> assertThat(refusal.reason()).contains("its log has the reason"));
      Request connect = new Request.ConnectDataCentres(List.of(Bytes.EMPTY));
      assertThat(handler.handle(connect, client).join())
          .isInstanceOfSatisfying(
              Response.DataCentresNotConnected.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNKNOWN));
    }
  }

  @Test
  void anotherNumberOfNodesIsRefusedWithBothNumbers() {
    for (List<String> named : List.of(List.of("a", "b"), List.of("a", "b", "c", "d"))) {
      assertThat(cluster.answer(new Request.CreateDataCentre(named)))
          .isInstanceOfSatisfying(
              Response.DataCentreNotCreated.class,
              refusal -> {
                assertThat(refusal.code()).isEqualTo(ErrorCode.BAD_REQUEST);
                assertThat(refusal.reason())
                    .contains("has 3 nodes, and the request names " + named.size());
              });
    }
  }
}

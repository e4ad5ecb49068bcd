package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.internal.antidote.ProtocolException;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cluster is a data centre already, of the nodes that it has. */
class DataCentreRequestsTest {
  private final DataCentreRequests cluster = new DataCentreRequests(7, () -> 3);

  @Test
  void itIsMadeOfAllNodesOfTheOneThatIsAskedOrOfThoseThatNobodyNames() {
    for (List<String> named :
        List.<List<String>>of(List.of("a", "b", "c"), List.of("a"), List.of())) {
      assertThat(cluster.answer(new Request.CreateDataCentre(named)))
          .isEqualTo(new Response.DataCentreCreated());
    }
  }

  @Test
  void otherNumbersOfNodesAreRefusedWithBoth() {
    for (List<String> named : List.of(List.of("a", "b"), List.of("a", "b", "c", "d"))) {
      assertThatThrownBy(() -> cluster.answer(new Request.CreateDataCentre(named)))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("has 3 nodes, and " + named.size() + " are named");
    }
  }
}

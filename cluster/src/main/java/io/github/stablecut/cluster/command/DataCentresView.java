package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * The data centres of a group as one of them told it. Immutable.
 *
 * @param own the number of the one that was asked
 * @param all by number
 */
record DataCentresView(int own, List<One> all) {
  private static final long LOOK_MILLIS = 100;
  private static final String DETACHED = "DETACHED";
  private static final String BEGINNING = "nothing yet";

  /** A data centre. */
  record One(
      int number,
      String state,
      String address,
      boolean isHeard,
      String received,
      String acknowledged,
      String problem) {
    boolean isMissing() {
      return !isHeard && !state.equals(DETACHED);
    }

    private String words() {
      if (!problem.isEmpty() && isMissing()) {
        return problem;
      }
      return isMissing() ? "is not heard" : state.equals(DETACHED) ? "is detached" : "is heard";
    }
  }

  /**
   * The data centres as the status of one of them tells them.
   *
   * @throws IOException if it is none among others
   */
  static DataCentresView of(JsonNode report, URI url) throws IOException {
    if (!report.has("dataCentre")) {
      throw new IOException(
          "the server at %s is no data centre among others: start it with --dc-listen HOST:PORT"
              .formatted(url));
    }
    List<One> all = new ArrayList<>();
    for (JsonNode one : report.path("dataCentres")) {
      all.add(
          new One(
              one.path("number").asInt(),
              one.path("state").asText(),
              one.path("address").asText(),
              one.path("heard").asBoolean(),
              one.path("received").asText(BEGINNING),
              one.path("acknowledged").asText(BEGINNING),
              one.path("problem").asText()));
    }
    return new DataCentresView(report.path("dataCentre").asInt(), all);
  }

  /**
   * Gives an order, and waits until it is carried out.
   *
   * @throws MoveRefusedException with the server's words, if it is not
   */
  static void carryOut(AdminPort port, String path) throws IOException, InterruptedException {
    var unused = port.order(path);
    while (true) {
      JsonNode order = port.ask().path("order");
      if (order.path("over").asBoolean()) {
        if (!order.path("problem").asText().isEmpty()) {
          throw new MoveRefusedException(order.path("problem").asText());
        }
        return;
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /** Whether all that take part are heard. */
  boolean isWhole() {
    return all.stream().noneMatch(One::isMissing);
  }

  void print(PrintWriter out) {
    out.println(
        "%6s  %-28s  %-24s  %-24s  %s"
            .formatted("NUMBER", "ADDRESS", "RECEIVED", "TAKEN", "STATE"));
    for (One one : all) {
      boolean isOwn = one.number == own;
      out.println(
          "%6d  %-28s  %-24s  %-24s  %s"
              .formatted(
                  one.number,
                  PrintableText.of(one.address),
                  isOwn ? "" : PrintableText.of(one.received),
                  isOwn ? "" : PrintableText.of(one.acknowledged),
                  isOwn && !one.state.equals(DETACHED)
                      ? "was asked"
                      : PrintableText.of(one.words())));
    }
  }
}

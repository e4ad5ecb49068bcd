package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.terminal.Quantities;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The data centres of a group as one of them reports them. Immutable.
 *
 * @param own the number of the reporting data centre
 * @param all the data centres, by number
 */
record DataCentresView(int own, List<Member> all) {
  private static final long POLL_MILLIS = 100;
  private static final String DETACHED = "DETACHED";
  private static final long WORTH_SAYING_MILLIS = 3_000;
  private static final String NONE_YET = "nothing yet";

  /** A data centre. */
  record Member(
      int number,
      String state,
      String address,
      boolean isHeard,
      String received,
      String acknowledged,
      long behindMillis,
      long untilDetachedMillis,
      String problem) {
    boolean isMissing() {
      return !isHeard && !state.equals(DETACHED);
    }

    private String description() {
      return reachability() + lag();
    }

    /** Returns its lag and the consequences; empty if it lacks only what is in transit. */
    private String lag() {
      return behindMillis < WORTH_SAYING_MILLIS
          ? ""
          : "; %s behind, everything since then is retained for it, and it is detached in %s"
              .formatted(
                  Quantities.span(Duration.ofMillis(behindMillis)),
                  Quantities.span(Duration.ofMillis(untilDetachedMillis)));
    }

    private String reachability() {
      if (!problem.isEmpty() && isMissing()) {
        return problem;
      }
      return isMissing() ? "is silent" : state.equals(DETACHED) ? "is detached" : "is active";
    }
  }

  /**
   * Parses the status of a server.
   *
   * @throws IOException if the server is not one of several data centres
   */
  static DataCentresView of(JsonNode report, URI url) throws IOException {
    if (!report.has("dataCentre")) {
      throw new IOException(
          "the server at %s is not connected to other data centres: start it with --dc-listen HOST:PORT"
              .formatted(url));
    }
    List<Member> all = new ArrayList<>();
    for (JsonNode member : report.path("dataCentres")) {
      all.add(
          new Member(
              member.path("number").asInt(),
              member.path("state").asText(),
              member.path("address").asText(),
              member.path("heard").asBoolean(),
              member.path("received").asText(NONE_YET),
              member.path("acknowledged").asText(NONE_YET),
              member.path("behindMillis").asLong(),
              member.path("untilDetachedMillis").asLong(),
              member.path("problem").asText()));
    }
    return new DataCentresView(report.path("dataCentre").asInt(), all);
  }

  /**
   * Sends a command to the server, and waits until it has executed it.
   *
   * @throws MoveRefusedException with the server's message, if the command fails
   */
  static void execute(AdminPort port, String path) throws IOException, InterruptedException {
    port.execute(path);
    while (true) {
      JsonNode command = port.ask().path("order");
      if (command.path("over").asBoolean()) {
        if (!command.path("problem").asText().isEmpty()) {
          throw new MoveRefusedException(command.path("problem").asText());
        }
        return;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Whether the server hears all data centres that are not detached. */
  boolean isWhole() {
    return all.stream().noneMatch(Member::isMissing);
  }

  void print(PrintWriter out) {
    out.println(
        "%6s  %-28s  %-24s  %-24s  %s"
            .formatted("NUMBER", "ADDRESS", "RECEIVED", "TAKEN", "STATE"));
    for (Member member : all) {
      boolean isOwn = member.number == own;
      out.println(
          "%6d  %-28s  %-24s  %-24s  %s"
              .formatted(
                  member.number,
                  PrintableText.of(member.address),
                  isOwn ? "" : PrintableText.of(member.received),
                  isOwn ? "" : PrintableText.of(member.acknowledged),
                  isOwn && !member.state.equals(DETACHED)
                      ? "reports this"
                      : PrintableText.of(member.description())));
    }
  }
}

package io.github.stablecut.examples.verification;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.testing.history.LinearizabilityCheck;
import io.github.stablecut.testing.history.RegisterOperation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The history of conditional writes has everything that a judge needs. */
final class ConditionalWorkloadTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory;

  private static RegisterOperation operation(JsonNode line) {
    long call = line.get("call").asLong();
    long end = line.get("return").asLong();
    long found = line.get("found").asLong();
    return line.get("op").asText().equals("read")
        ? RegisterOperation.read(call, end, found)
        : RegisterOperation.write(
            call, end, line.path("expected").asLong(found), line.get("written").asLong(), found);
  }

  @Test
  void recordsALinearizableHistoryOfEachRegister() throws Exception {
    Path file = directory.resolve("history");
    try (TargetStores stores = new EmbeddedTarget(directory.resolve("store"), 2);
        ConditionalHistory history = ConditionalHistory.create(file)) {
      new ConditionalWorkload(stores, history, new Outcomes(), 2, 1)
          .run(3, Duration.ofMillis(300), Duration.ZERO, Duration.ZERO);
    }
    Map<Long, List<RegisterOperation>> registers = new HashMap<>();
    for (String line : Files.readAllLines(file)) {
      JsonNode read = JSON.readTree(line);
      registers
          .computeIfAbsent(read.get("register").asLong(), number -> new ArrayList<>())
          .add(operation(read));
    }
    assertThat(registers.keySet()).isNotEmpty().isSubsetOf(0L, 1L);
    registers
        .values()
        .forEach(history -> assertThat(LinearizabilityCheck.violation(history)).isEmpty());
  }

  @Test
  void recordsAnUnknownOutcomeWithoutAnAnswer() throws Exception {
    Path file = directory.resolve("history");
    try (ConditionalHistory history = ConditionalHistory.create(file)) {
      ConditionalHistory.Call call = new ConditionalHistory.Call(1, 2, 5);
      history.unknown(call.swap(7));
      history.answered(call.compareAndSet(0, 8), 9, 3);
    }
    assertThat(file)
        .hasContent(
            "{'client':1,'register':2,'op':'swap','call':5,'written':7}\n".replace('\'', '"')
                + "{'client':1,'register':2,'op':'cas','call':5,'expected':0,'written':8,'return':9,'found':3}\n"
                    .replace('\'', '"'));
  }
}

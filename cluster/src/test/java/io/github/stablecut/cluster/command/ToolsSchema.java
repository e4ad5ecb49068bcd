package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The schema docs/tools.schema.json of the commands' output with --json. Immutable. */
public final class ToolsSchema {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectNode all;

  private ToolsSchema(ObjectNode all) {
    this.all = all;
  }

  /** Reads the schema. */
  public static ToolsSchema read() throws IOException {
    Path docs = Path.of("docs");
    while (!Files.exists(docs.resolve("tools.schema.json"))) {
      docs = Path.of("..").resolve(docs);
    }
    return new ToolsSchema(
        JSON.readValue(docs.resolve("tools.schema.json").toFile(), ObjectNode.class));
  }

  /** Checks that the printed lines match the schema of the command, and returns them. */
  public List<JsonNode> check(String command, CommandResult result) throws IOException {
    ObjectNode schema = all.deepCopy();
    schema.remove("anyOf");
    schema.put("$ref", "#/$defs/" + command.replace(" ", "%20"));
    JsonSchema one =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(schema);
    List<JsonNode> lines = new ArrayList<>();
    for (String line : result.out().lines().toList()) {
      JsonNode node = JSON.readTree(line);
      assertThat(
              one.validate(
                  node, context -> context.getExecutionConfig().setFormatAssertionsEnabled(true)))
          .as("%s%n%s%n%s", command, line, result.err())
          .isEmpty();
      lines.add(node);
    }
    return lines;
  }
}

package dev.tidemark.retention.it.docs;

import dev.tidemark.retention.cli.Retention;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The generated part of each reference page. */
final class ReferencePages {
  private static final int COLUMNS = 100;
  private static final Pattern ALLOWED = Pattern.compile("must be (.*?)(?: \\(or null|, not)");

  private static final String FUNCTIONS =
      """
      select p.proname as name,
             case p.prokind when 'p' then 'procedure' else 'function' end as kind,
             pg_get_function_arguments(p.oid) as arguments,
             coalesce(pg_get_function_result(p.oid), '') as result,
             obj_description(p.oid, 'pg_proc') as contract,
             (select string_agg(r.rolname, ', ' order by r.rolname)
                from aclexplode(p.proacl) a
                join pg_roles r on r.oid = a.grantee
               where a.privilege_type = 'EXECUTE' and r.oid <> p.proowner) as roles
        from pg_proc p
       where p.pronamespace = 'queen'::regnamespace
       order by p.proname
      """;

  private final Sql sql;

  ReferencePages(Sql sql) {
    this.sql = sql;
  }

  String functions() {
    List<Map<String, Object>> functions = sql.rows(FUNCTIONS);
    StringBuilder page = new StringBuilder("\n| role | may execute |\n|---|---|\n");
    for (String role : List.of("queen_broker", "queen_retention", "queen_reader")) {
      page.append("| `").append(role).append("` | ");
      page.append(
          functions.stream()
              .filter(f -> String.valueOf(f.get("roles")).contains(role))
              .map(f -> "[" + f.get("name") + "](#" + f.get("name") + ")")
              .collect(Collectors.joining(", ")));
      page.append(" |\n");
    }
    functions.forEach(f -> page.append(function(f)));
    return page.append('\n').toString();
  }

  private static String function(Map<String, Object> f) {
    if (f.get("contract") == null) {
      throw new AssertionError(f.get("name") + " has no contract");
    }
    String executes =
        f.get("roles") == null
            ? "Only its owner may execute it: migrations call it."
            : "May execute: `" + String.valueOf(f.get("roles")).replace(", ", "`, `") + "`.";
    return "\n## "
        + f.get("name")
        + "\n\n```sql\n"
        + signature(f)
        + "\n```\n\n```text\n"
        + f.get("contract")
        + "\n```\n\n"
        + executes
        + "\n";
  }

  /** As the catalog has it; on several lines where one would be too long. */
  private static String signature(Map<String, Object> f) {
    String name = f.get("kind") + " queen." + f.get("name") + "(";
    String result = f.get("kind").equals("procedure") ? "" : " returns " + f.get("result");
    String line = name + f.get("arguments") + ")" + result;
    if (line.length() <= COLUMNS) {
      return line;
    }
    String arguments = list(String.valueOf(f.get("arguments")));
    String table = " returns TABLE(";
    return name
        + arguments
        + ")"
        + (result.startsWith(table)
            ? table + list(result.substring(table.length(), result.length() - 1)) + ")"
            : result);
  }

  private static String list(String items) {
    return items.isEmpty() ? "" : "\n    " + items.replace(", ", ",\n    ");
  }

  String queueOptions() {
    StringBuilder page = new StringBuilder("\n| key | default | allowed |\n|---|---|---|\n");
    sql.rows(
            "select o.key, o.value::text as value"
                + " from jsonb_each(queen.queue_option_defaults_v1()) o order by o.key")
        .forEach(o -> page.append(row("`" + o.get("key") + "`", o.get("value"), allowed(o))));
    return page.append(row("`mode`", "\"merge\"", allowed(Map.of("key", "mode"))))
        .append('\n')
        .toString();
  }

  /** What the check says when it is given something that no option takes. */
  private String allowed(Map<String, Object> option) {
    try {
      sql.run("select queen.check_queue_option_v1(p_key => ?, p_value => '[]')", option.get("key"));
    } catch (SqlFailure refused) {
      Matcher allowed = ALLOWED.matcher(refused.getMessage());
      if (allowed.find()) {
        return allowed.group(1) + ", or null";
      }
    }
    throw new AssertionError("option " + option.get("key") + ": an array was not refused");
  }

  static String environment() {
    return Stream.of(Knob.values())
        .map(
            k ->
                row(
                    "`" + k.variable() + "`",
                    "`" + k.flag() + "`",
                    k.defaultValue(),
                    k.allowed(),
                    k.meaning()))
        .collect(
            Collectors.joining(
                "",
                "\n| variable | flag | default | allowed | meaning |\n|---|---|---|---|---|\n",
                "\n"));
  }

  static String commands() {
    StringBuilder page = new StringBuilder();
    usage(Retention.commandLine().setUsageHelpWidth(COLUMNS), page);
    return page.append('\n').toString();
  }

  private static void usage(CommandLine command, StringBuilder page) {
    page.append("\n## ").append(command.getCommandSpec().qualifiedName()).append("\n\n```text\n");
    command
        .getUsageMessage(Ansi.OFF)
        .lines()
        .forEach(line -> page.append(line.stripTrailing()).append('\n'));
    page.append("```\n");
    command.getSubcommands().values().forEach(sub -> usage(sub, page));
  }

  private static String row(Object... cells) {
    return Stream.of(cells)
        .map(cell -> String.valueOf(cell).replace("|", "\\|"))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}

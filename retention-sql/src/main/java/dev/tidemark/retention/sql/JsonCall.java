package dev.tidemark.retention.sql;

import java.util.List;
import org.jooq.DSLContext;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.RecordMapper;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultDataType;
import org.jooq.impl.SQLDataType;

/**
 * Calls a function that answers with a JSON object and reads the keys on the server, so that Java
 * receives typed columns. The call stands in a derived table: a volatile function there is run
 * once, however many keys are read.
 */
final class JsonCall {
  private static final Field<JSONB> ANSWER = DSL.field(DSL.name("answer"), JSONB.class);

  private static final Field<Integer> PLACE = DSL.field(DSL.name("place"), Integer.class);
  private static final DataType<Object> JSON_PATH =
      new DefaultDataType<>(SQLDialect.POSTGRES, Object.class, "pg_catalog.jsonpath");

  private JsonCall() {}

  static <T> Field<T> key(String name, DataType<T> type) {
    Field<String> text =
        Session.server("jsonb_extract_path_text", SQLDataType.CLOB, ANSWER, DSL.inline(name));
    return DSL.cast(text, type).as(name);
  }

  /**
   * The same key of every object in an array under {@code name}, as one SQL array; an explicit null
   * stays one.
   */
  static <T> Field<T[]> keys(String name, String each, DataType<T> type) {
    Field<JSONB> values =
        Session.server(
            "jsonb_path_query_array",
            SQLDataType.JSONB,
            ANSWER,
            DSL.cast(DSL.inline("$." + name + "[*]." + each), JSON_PATH));
    // A JSON array of numbers and nulls is, but for its brackets, how PostgreSQL writes an array.
    return DSL.cast(
        Session.server(
            "translate",
            SQLDataType.CLOB,
            DSL.cast(values, SQLDataType.CLOB),
            DSL.inline("[]"),
            DSL.inline("{}")),
        type.array());
  }

  static Record call(DSLContext dsl, Field<JSONB> function, Field<?>... keys) {
    return dsl.select(keys)
        .from(DSL.select(function.as(ANSWER.getUnqualifiedName())).asTable("call"))
        .fetchSingle();
  }

  /** Calls a function that answers with an array of objects; one result an object, in order. */
  static <R> List<R> callForArray(
      DSLContext dsl, Field<JSONB> function, RecordMapper<Record, R> each, Field<?>... keys) {
    Table<?> call = DSL.select(function.as(ANSWER.getUnqualifiedName())).asTable("call");
    // Two set-returning functions in one select list go in step.
    Field<Integer> place =
        Session.server(
            "generate_series",
            SQLDataType.INTEGER,
            DSL.inline(1),
            Session.server("jsonb_array_length", SQLDataType.INTEGER, ANSWER));
    Field<JSONB> element = Session.server("jsonb_array_elements", SQLDataType.JSONB, ANSWER);
    return dsl.select(keys)
        .from(
            DSL.select(
                    place.as(PLACE.getUnqualifiedName()), element.as(ANSWER.getUnqualifiedName()))
                .from(call)
                .asTable("elements"))
        .orderBy(PLACE)
        .fetch(each);
  }
}

using System.Buffers;
using System.Collections;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Bench;

/// <summary>
/// One of the ways in which libraries write the same message as JSON. They differ in size, and not in what they say.
/// </summary>
/// <param name="Name">What sets it apart.</param>
/// <param name="Indented">A line for each value, indented by two spaces a level, as Python's json_format does
/// unless told otherwise.</param>
/// <param name="Defaults">Singular fields that are absent stand there with their default, as older libraries
/// and contracts turned into proto3 have it.</param>
/// <param name="LongFloats">A 32-bit float is written with the digits of the 64-bit one that it is read into, as older
/// versions of Python's json_format do.</param>
/// <param name="Stock">C#'s JsonFormatter, which puts a space behind each colon and comma; with its
/// <c>FormatDefaultValues</c> where <paramref name="Defaults"/> are asked for; the rest does not apply.</param>
/// <param name="BytesPerCharacter">2 where a string in memory is counted, as C# holds it; 1 in UTF-8.</param>
internal sealed record JsonStyle(
    string Name,
    bool Indented = false,
    bool Defaults = false,
    bool LongFloats = false,
    bool Stock = false,
    int BytesPerCharacter = 1)
{
    /// <summary>The styles that are compared.</summary>
    public static IReadOnlyList<JsonStyle> All { get; } =
    [
        new("compact"),
        new("compact, floats as doubles", LongFloats: true),
        new("compact, absent fields written", Defaults: true),
        new("compact, absent fields, floats as doubles", Defaults: true, LongFloats: true),
        new("compact, two bytes a character", BytesPerCharacter: 2),
        new("C#'s JsonFormatter", Stock: true),
        new("C#'s JsonFormatter, two bytes a character", Stock: true, BytesPerCharacter: 2),
        new("C#'s JsonFormatter, FormatDefaultValues", Stock: true, Defaults: true),
        new("C#'s JsonFormatter, FormatDefaultValues, two bytes a character",
            Stock: true, Defaults: true, BytesPerCharacter: 2),
        new("indented", Indented: true),
        new("indented, floats as doubles", Indented: true, LongFloats: true),
        new("indented, absent fields written", Indented: true, Defaults: true),
        new("indented, absent fields, floats as doubles", Indented: true, Defaults: true, LongFloats: true),
        new("indented, two bytes a character", Indented: true, BytesPerCharacter: 2),
        new("indented, absent fields, two bytes a character", Indented: true, Defaults: true, BytesPerCharacter: 2),
    ];

    private static readonly JsonFormatter _withDefaults =
        new(JsonFormatter.Settings.Default.WithFormatDefaultValues(true));

    /// <summary>The message in this style.</summary>
    /// <returns>UTF-8.</returns>
    public ReadOnlyMemory<byte> Write(IMessage message)
    {
        if (Stock)
        {
            return System.Text.Encoding.UTF8.GetBytes((Defaults ? _withDefaults : JsonFormatter.Default).Format(message));
        }

        var text = new ArrayBufferWriter<byte>(1 << 20);
        // What need not be escaped is not.
        using var writer = new Utf8JsonWriter(
            text, new JsonWriterOptions { Indented = Indented, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
        WriteMessage(writer, message);
        writer.Flush();
        return text.WrittenMemory;
    }

    /// <summary>How many bytes the message takes in this style.</summary>
    public long Size(IMessage message)
    {
        var text = Write(message).Span;
        return BytesPerCharacter == 1
            ? text.Length
            : (long)System.Text.Encoding.UTF8.GetCharCount(text) * BytesPerCharacter;
    }

    private void WriteMessage(Utf8JsonWriter writer, IMessage message)
    {
        writer.WriteStartObject();
        foreach (var field in message.Descriptor.Fields.InFieldNumberOrder())
        {
            var value = field.Accessor.GetValue(message);
            if (field.IsRepeated)
            {
                if (value is IList { Count: > 0 } items)
                {
                    writer.WriteStartArray(field.JsonName);
                    foreach (var item in items)
                    {
                        WriteValue(writer, field, item!);
                    }

                    writer.WriteEndArray();
                }
            }
            else if (field.Accessor.HasValue(message) || (Defaults && IsPlain(field)))
            {
                writer.WritePropertyName(field.JsonName);
                WriteValue(writer, field, value);
            }
        }

        writer.WriteEndObject();
    }

    private static bool IsPlain(FieldDescriptor field) =>
        field.FieldType is not FieldType.Message and not FieldType.Group && field.ContainingOneof is null;

    private void WriteValue(Utf8JsonWriter writer, FieldDescriptor field, object value)
    {
        switch (value)
        {
            case IMessage message:
                WriteMessage(writer, message);
                break;
            case bool truth:
                writer.WriteBooleanValue(truth);
                break;
            case float number when !float.IsFinite(number):
                writer.WriteStringValue(number.ToString(CultureInfo.InvariantCulture));
                break;
            case float number when LongFloats:
                writer.WriteNumberValue((double)number);
                break;
            case float number:
                writer.WriteNumberValue(number);
                break;
            case double number when !double.IsFinite(number):
                writer.WriteStringValue(number.ToString(CultureInfo.InvariantCulture));
                break;
            case double number:
                writer.WriteNumberValue(number);
                break;
            case int number:
                writer.WriteNumberValue(number);
                break;
            case uint number:
                writer.WriteNumberValue(number);
                break;
            case long or ulong:
                writer.WriteStringValue(Convert.ToString(value, CultureInfo.InvariantCulture));
                break;
            case string text:
                writer.WriteStringValue(text);
                break;
            case ByteString bytes:
                writer.WriteBase64StringValue(bytes.Span);
                break;
            default:
                WriteEnum(writer, field, Convert.ToInt32(value, CultureInfo.InvariantCulture));
                break;
        }
    }

    private static void WriteEnum(Utf8JsonWriter writer, FieldDescriptor field, int number)
    {
        if (field.EnumType.FindValueByNumber(number) is { } named)
        {
            writer.WriteStringValue(named.Name);
        }
        else
        {
            writer.WriteNumberValue(number);
        }
    }
}

using System.Text;
using System.Text.Json;

namespace Sc2Bridge.Encodings.Json;

/// <summary>Tells where in a text something stands, as <c>frame.observation.rawData.units[3].pos.x</c>.</summary>
/// <remarks>It reads the text once more up to there, so that texts without a mistake need not keep track.</remarks>
internal static class JsonPath
{
    private const int LongestQuote = 40;

    /// <summary>The names and places that lead to an offset; empty for the whole.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <param name="offset">Of a value, or of the name in front of it.</param>
    /// <param name="deepest">How deep the text may be.</param>
    public static string Of(ReadOnlySpan<byte> utf8, long offset, int deepest)
    {
        var reader = new Utf8JsonReader(utf8, new JsonReaderOptions { MaxDepth = deepest });
        var steps = new Stack<Step>();
        try
        {
            while (reader.Read())
            {
                var value = reader.TokenType is not (
                    JsonTokenType.PropertyName or JsonTokenType.EndObject or JsonTokenType.EndArray);
                if (value && steps.TryPeek(out var list) && list.IsList)
                {
                    steps.Pop();
                    steps.Push(list with { Place = list.Place + 1 });
                }

                if (reader.TokenType == JsonTokenType.PropertyName)
                {
                    steps.Pop();
                    steps.Push(new Step(false, 0, Quote(reader.ValueSpan)));
                }

                if (reader.TokenStartIndex >= offset)
                {
                    break;
                }

                if (reader.TokenType is JsonTokenType.StartObject or JsonTokenType.StartArray)
                {
                    steps.Push(new Step(reader.TokenType == JsonTokenType.StartArray, -1, ""));
                }
                else if (reader.TokenType is JsonTokenType.EndObject or JsonTokenType.EndArray)
                {
                    steps.Pop();
                }
            }
        }
        catch (JsonException)
        {
            // What is wrong there is being told.
        }

        var path = new StringBuilder();
        foreach (var step in steps.Reverse())
        {
            path.Append(step.IsList ? step.Place < 0 ? "" : $"[{step.Place}]"
                : step.Name.Length == 0 ? "" : path.Length == 0 ? step.Name : $".{step.Name}");
        }

        return path.ToString();
    }

    /// <summary>A piece of the text as a message can carry it.</summary>
    public static string Quote(ReadOnlySpan<byte> utf8)
    {
        // A character takes at most four bytes; one that is cut in two is none.
        var cut = utf8.Length > LongestQuote * 4 ? utf8[..(LongestQuote * 4)] : utf8;
        var text = System.Text.Encoding.UTF8.GetString(cut);
        return text.Length <= LongestQuote ? text
            : string.Concat(text.AsSpan(0, char.IsHighSurrogate(text[LongestQuote - 1])
                ? LongestQuote - 1 : LongestQuote), "…");
    }

    // In a list the place of what is read, in an object the name.
    private readonly record struct Step(bool IsList, int Place, string Name);
}

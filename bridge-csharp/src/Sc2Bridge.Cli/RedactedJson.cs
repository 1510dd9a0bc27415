using System.Text.Json;
using System.Text.Json.Nodes;

namespace Sc2Bridge.Cli;

/// <summary>Removes what other people must not read from a report.</summary>
internal static class RedactedJson
{
    private const int LongestLine = 1000;

    /// <summary>Changes all texts of a report: secrets, user names and home folders are removed.</summary>
    /// <param name="node">The report.</param>
    /// <param name="redaction">What to remove.</param>
    // All texts are redacted and then shortened here, so that no new text can be forgotten, and no secret is cut in two before.
    internal static JsonNode Redact(JsonNode node, AnonymousText redaction)
    {
        if (node is JsonObject values)
        {
            foreach (var (name, value) in values.ToList())
            {
                Visit(value, changed => values[name] = changed);
            }
        }
        else if (node is JsonArray items)
        {
            for (var at = 0; at < items.Count; at++)
            {
                var index = at;
                Visit(items[at], changed => items[index] = changed);
            }
        }

        return node;

        void Visit(JsonNode? child, Action<JsonNode> replace)
        {
            if (child is JsonValue text && text.GetValueKind() == JsonValueKind.String)
            {
                var redacted = redaction.Redact(text.GetValue<string>());
                replace(JsonValue.Create(redacted[..Math.Min(redacted.Length, LongestLine)]));
            }
            else if (child is not null)
            {
                Redact(child, redaction);
            }
        }
    }
}

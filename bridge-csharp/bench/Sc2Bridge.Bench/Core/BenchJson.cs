using System.Text.Json;
using System.Text.Json.Serialization;

namespace Sc2Bridge.Bench;

/// <summary>JSON of the benchmarks, with names in snake_case: reports as files, orders and answers as lines.</summary>
internal static class BenchJson
{
    private static readonly JsonSerializerOptions _line = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.KebabCaseLower) },

        // Another program may print anything.
        RespectRequiredConstructorParameters = true,
        RespectNullableAnnotations = true,
    };

    private static readonly JsonSerializerOptions _report = new(_line) { WriteIndented = true };

    /// <summary>A report as text, with a line end behind it.</summary>
    public static string Report<T>(T report) => JsonSerializer.Serialize(report, _report) + "\n";

    public static string Line<T>(T value) => JsonSerializer.Serialize(value, _line);

    public static T Read<T>(string line) => JsonSerializer.Deserialize<T>(line, _line) ?? throw new JsonException("null");
}

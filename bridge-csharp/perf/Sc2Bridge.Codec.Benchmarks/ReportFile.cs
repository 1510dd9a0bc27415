using System.Text.Json;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>Writes the raw results of a command.</summary>
internal static class ReportFile
{
    private static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        NumberHandling = System.Text.Json.Serialization.JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    /// <summary>Nothing where no file was asked for.</summary>
    public static async Task WriteAsync<T>(FileInfo? file, T report, CancellationToken ct)
    {
        if (file is not null)
        {
            await File.WriteAllTextAsync(file.FullName, JsonSerializer.Serialize(report, Options) + "\n", ct);
        }
    }
}

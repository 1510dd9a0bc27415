using System.CommandLine.Parsing;
using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>An agent to run, and how it connects: <c>[N=]MODULE:CLASS[@TRANSPORT[+columns][+COMPRESSION]]</c>.</summary>
/// <param name="Target">A Python module and a class in it.</param>
/// <param name="Transport"><c>grpc</c>, <c>shm</c> or <c>auto</c>, or for the WebSocket <c>json</c> or <c>proto</c>.</param>
/// <param name="Compression"><c>none</c>, <c>deflate</c>, <c>zstd</c> or <c>group-zstd</c>.</param>
/// <param name="Content"><c>observation</c> or <c>columns</c>.</param>
/// <param name="Side">The id of the player whose side the agent plays; null if agents play only one side.</param>
internal sealed record AgentSpec(
    string Target, string Transport, string Compression = "none", string Content = "observation", uint? Side = null)
{
    private const string Auto = "auto";
    private const string Columns = "columns";
    private static readonly string[] Transports = [Auto, "grpc", "json", "proto", "shm"];
    private static readonly string[] Compressions = ["none", "deflate", "zstd", "group-zstd"];

    /// <summary>The transport, content and compression, as the user writes them.</summary>
    public string TransportText => Transport + (Content == Columns ? "+columns" : "")
        + (Compression == "none" ? "" : $"+{Compression}");

    /// <summary>Whether the bridge chooses the transport.</summary>
    public bool IsAuto => Transport == Auto;

    /// <summary>Returns the agent with a chosen transport: shared memory if available, else the WebSocket with protobuf.</summary>
    /// <param name="hasSharedMemory">Whether the bridge offers shared memory.</param>
    public AgentSpec ChooseTransport(bool hasSharedMemory) => IsAuto ? this with { Transport = hasSharedMemory ? "shm" : "proto" } : this;

    /// <summary>
    /// Reads <c>[N=]MODULE:CLASS[@TRANSPORT[+columns][+COMPRESSION]]</c>. The defaults are <c>auto</c>, observations
    /// and no compression.
    /// </summary>
    /// <exception cref="FormatException">The text does not have that form. The message describes the form.</exception>
    public static AgentSpec Parse(string text)
    {
        var at = text.LastIndexOf('@');
        var target = at < 0 ? text : text[..at];
        uint? side = null;
        if (target.IndexOf('=', StringComparison.Ordinal) is >= 0 and var equals)
        {
            var number = target[..equals];
            target = target[(equals + 1)..];
            side = uint.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var player)
                ? player
                : throw new FormatException(
                    $"'{text}': '{number}' is not a player number: write 1={target} for the side of player 1");
        }

        var words = (at < 0 ? Auto : text[(at + 1)..]).Split('+');
        var colon = target.IndexOf(':', StringComparison.Ordinal);
        if (colon <= 0 || colon == target.Length - 1 || !Transports.Contains(words[0]))
        {
            throw new FormatException(
                $"'{text}' is not an agent: write MODULE:CLASS, and @auto, @grpc, @json, @proto or @shm after it");
        }

        var columns = words.Length > 1 && words[1] == Columns;
        var compression = words[(columns ? 2 : 1)..];
        if (words[0] is "shm" or Auto && compression is not ([] or ["none"]))
        {
            throw new FormatException($"'{text}': frames in shared memory are not sent: leave out '{string.Join('+', compression)}', or compress with @grpc or @proto");
        }

        return compression.Length <= 1 && compression.All(Compressions.Contains)
            ? new AgentSpec(
                target, words[0], compression.FirstOrDefault("none"), columns ? Columns : "observation", side)
            : throw new FormatException(
                $"'{text}': unknown '{string.Join('+', compression)}': after @{words[0]}, write nothing, or +columns, and then +deflate, "
                + $"+zstd or +group-zstd");
    }

    /// <summary>Reads the values of <c>--agent</c>.</summary>
    public static AgentSpec[]? ParseAll(ArgumentResult result)
    {
        try
        {
            return [.. result.Tokens.Select(token => Parse(token.Value))];
        }
        catch (FormatException error)
        {
            result.AddError($"--agent: {error.Message}");
            return null;
        }
    }
}

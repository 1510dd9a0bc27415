using System.CommandLine.Parsing;
using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>How an agent is to be run: <c>[N=]MODULE:CLASS[@TRANSPORT[+columns][+COMPRESSION]]</c>.</summary>
/// <param name="Target">A Python module and a class in it.</param>
/// <param name="Transport"><c>grpc</c>, <c>json</c> or <c>proto</c> (these two over the WebSocket), <c>shm</c> or <c>auto</c>.</param>
/// <param name="Compression"><c>none</c>, <c>deflate</c>, <c>zstd</c> or <c>group-zstd</c>.</param>
/// <param name="Content"><c>observation</c> or <c>columns</c>.</param>
/// <param name="Side">The number of the player whose side it takes; null where there is but one.</param>
internal sealed record AgentSpec(
    string Target, string Transport, string Compression = "none", string Content = "observation", uint? Side = null)
{
    private const string Auto = "auto";
    private const string Columns = "columns";
    private static readonly string[] Transports = [Auto, "grpc", "json", "proto", "shm"];
    private static readonly string[] Compressions = ["none", "deflate", "zstd", "group-zstd"];

    /// <summary>Its transport and encoding, as asked for.</summary>
    public string Way => Transport + (Content == Columns ? "+columns" : "")
        + (Compression == "none" ? "" : $"+{Compression}");

    /// <summary>Whether its transport is still to be chosen.</summary>
    public bool IsAuto => Transport == Auto;

    /// <summary>It with its transport chosen: memory where that is shared, else the binary WebSocket.</summary>
    /// <param name="isShared">Whether the bridge shares memory.</param>
    public AgentSpec WithTransport(bool isShared) => IsAuto ? this with { Transport = isShared ? "shm" : "proto" } : this;

    /// <summary>
    /// Reads <c>[N=]MODULE:CLASS[@TRANSPORT[+columns][+COMPRESSION]]</c>; <c>auto</c>, observations and no compression
    /// where nothing is named.
    /// </summary>
    /// <exception cref="FormatException">It is not of that form; the message says what is.</exception>
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
                    $"'{text}': '{number}' is no player's number: write 1={target} for the side of player 1");
        }

        var way = (at < 0 ? Auto : text[(at + 1)..]).Split('+');
        var colon = target.IndexOf(':', StringComparison.Ordinal);
        if (colon <= 0 || colon == target.Length - 1 || !Transports.Contains(way[0]))
        {
            throw new FormatException(
                $"'{text}' is not an agent: write MODULE:CLASS, and @auto, @grpc, @json, @proto or @shm behind it");
        }

        var columns = way.Length > 1 && way[1] == Columns;
        var compression = way[(columns ? 2 : 1)..];
        if (way[0] is "shm" or Auto && compression is not ([] or ["none"]))
        {
            throw new FormatException($"'{text}': frames in shared memory are not sent: leave out '{string.Join('+', compression)}', or compress by @grpc or @proto");
        }

        return compression.Length <= 1 && compression.All(Compressions.Contains)
            ? new AgentSpec(
                target, way[0], compression.FirstOrDefault("none"), columns ? Columns : "observation", side)
            : throw new FormatException(
                $"'{text}': there is no '{string.Join('+', compression)}': write +columns, and then +deflate, +zstd or "
                + $"+group-zstd, behind @{way[0]}, or nothing");
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

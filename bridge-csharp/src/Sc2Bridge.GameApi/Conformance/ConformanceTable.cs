using SC2APIProtocol;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>The table's entry for a request in a state.</summary>
/// <param name="Answer"><c>ok</c>, <c>error</c> or <c>refused</c>.</param>
/// <param name="After">The state after the answer.</param>
public sealed record ConformanceRule(string Answer, Status After);

/// <summary>A game's answer to a request in a state.</summary>
/// <param name="Request">The request.</param>
/// <param name="State">The state before the request.</param>
/// <param name="Answer"><c>ok</c>, <c>error</c> with the error's name, or <c>refused</c>; and the state after the answer.</param>
/// <param name="Response">The beginning of the response as JSON.</param>
public sealed record ConformanceAnswer(Kind Request, string State, string Answer, string Response);

/// <summary>The table in CONFORMANCE.md: what the game answers to every request in every state.</summary>
public static class ConformanceTable
{
    /// <summary>The states, in the order of the table.</summary>
    public static IReadOnlyList<string> States { get; } =
        ["launched", "init_game", "in_game", "realtime", "observer", "in_replay", "ended"];

    /// <summary>Every request of the API.</summary>
    public static IEnumerable<Kind> Kinds => Request.Descriptor.Oneofs[0].Fields.Select(number => (Kind)number.FieldNumber);

    /// <summary>The API's status for a state of the table.</summary>
    public static Status StatusOf(string state) => state switch
    {
        "launched" => Status.Launched,
        "init_game" => Status.InitGame,
        "in_replay" => Status.InReplay,
        "ended" => Status.Ended,
        "quit" => Status.Quit,
        _ => Status.InGame,
    };

    /// <summary>Reads the table. Each key is a request and a state.</summary>
    public static IReadOnlyDictionary<(Kind Request, string State), ConformanceRule> Read()
    {
        using var stream = typeof(ConformanceTable).Assembly.GetManifestResourceStream("CONFORMANCE.md")!;
        using var reader = new StreamReader(stream);
        var kinds = Request.Descriptor.Oneofs[0].Fields.ToDictionary(f => f.Name, f => (Kind)f.FieldNumber);
        var table = new Dictionary<(Kind, string), ConformanceRule>();
        foreach (var line in reader.ReadToEnd().Split('\n'))
        {
            var cells = line.Split('|', StringSplitOptions.TrimEntries);
            if (cells.Length != States.Count + 3 || !kinds.TryGetValue(cells[1], out var kind))
            {
                continue;
            }

            for (var i = 0; i < States.Count; i++)
            {
                var parts = cells[i + 2].Split(" → ");
                table[(kind, States[i])] = new ConformanceRule(parts[0], StatusOf(parts.Length > 1 ? parts[1] : States[i]));
            }
        }

        return table;
    }
}

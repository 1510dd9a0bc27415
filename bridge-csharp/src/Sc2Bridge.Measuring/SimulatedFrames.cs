using System.Globalization;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Measuring;

/// <summary>
/// A late stretch of the default simulated match (two Elite computers, Terran against Zerg, on Cinder Fortress LE),
/// with observations as large as those of a real match late on.
/// </summary>
public static class SimulatedFrames
{
    private const int Count = 16;
    private const int LastLoop = 16_860;

    // Far enough apart for units to have moved, died and been built between two of them.
    private const int Stride = 20;

    // Late observations of a real match have 134 to 169 KiB; this is what published figures speak of.
    private const int Wanted = 160 << 10;

    /// <summary>Plays the match and keeps the stretch whose observations are nearest to 160 KiB.</summary>
    /// <exception cref="MeasuringException">The match ended before it had so many.</exception>
    public static MeasuredFrames Make(CancellationToken ct)
    {
        var game = Join("Cinder Fortress LE", SimulatorDefaults.Seed, 0);
        var match = new List<byte[]>();
        for (var loop = 0; loop < LastLoop; loop += Stride)
        {
            ct.ThrowIfCancellationRequested();
            if (game.Handle(new Request { Step = new RequestStep { Count = Stride } }).Status == Status.Ended)
            {
                break;
            }

            match.Add(game.Handle(new Request { Observation = new RequestObservation() }).Observation.ToByteArray());
        }

        if (match.Count < Count)
        {
            throw new MeasuringException(
                $"the simulated match ended after {match.Count * Stride} game loops: give a folder with --frames");
        }

        var first = Enumerable.Range(0, match.Count - Count + 1).MinBy(DistanceFromWanted);
        var frames = match.GetRange(first, Count);
        var origin = string.Create(
            CultureInfo.InvariantCulture,
            $"simulated: {Count} observations of game loops {(first + 1) * Stride} to {(first + Count) * Stride}, "
            + $"seed {SimulatorDefaults.Seed}, {Kib(frames.Min(Length))} to {Kib(frames.Max(Length))} KiB");
        return new MeasuredFrames([.. frames], origin);

        double DistanceFromWanted(int start) => Math.Abs(match.GetRange(start, Count).Average(Length) - Wanted);
    }

    private static int Length(byte[] bytes) => bytes.Length;

    private static string Kib(int bytes) => (bytes / 1024.0).ToString("0.0", CultureInfo.InvariantCulture);

    /// <summary>A match of two Elite computers that an observer has joined.</summary>
    /// <param name="map">Its name.</param>
    /// <param name="seed">Decides it.</param>
    /// <param name="viewer">Whose eyes: a player's id, or 0 for all.</param>
    /// <exception cref="MeasuringException">The game refused it.</exception>
    public static GameApi Join(string map, uint seed, uint viewer)
    {
        var game = new GameApi(new SimulatorOptions());
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = map },
            RandomSeed = seed,
        };
        foreach (var race in (ReadOnlySpan<Race>)[Race.Terran, Race.Zerg])
        {
            create.PlayerSetup.Add(new PlayerSetup
            {
                Type = PlayerType.Computer,
                Race = race,
                Difficulty = Difficulty.VeryHard,
            });
        }

        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        var join = new RequestJoinGame
        {
            ObservedPlayerId = viewer,
            Options = new InterfaceOptions { Raw = true, Score = true },
        };
        Request[] requests = [new() { CreateGame = create }, new() { JoinGame = join }];
        foreach (var request in requests)
        {
            var answer = game.Handle(request);
            if (answer.Error.Count > 0 || answer.CreateGame?.HasError == true || answer.JoinGame?.HasError == true)
            {
                throw new MeasuringException($"the simulated game refused {request.RequestCase}: {answer}");
            }
        }

        return game;
    }
}

using System.Text.Json;
using Sc2Bridge.Recordings;
using SC2APIProtocol;

namespace Sc2Bridge.Functional.Tests;

/// <summary>The export of recordings as tables.</summary>
public sealed class ExportTests : MatchFolderTests
{
    [Fact]
    public async Task A_match_has_as_many_rows_as_its_observations_have_and_is_exported_once()
    {
        (await Folder.PlayAsync("--steps", "60")).Well();
        var (parquet, arrow) = (Path.Combine(Folder.Path, "parquet"), Path.Combine(Folder.Path, "arrow"));
        var whole = Path.Combine(parquet, "match=match");

        // The state after an export was killed.
        Directory.CreateDirectory(whole + ".partial");
        await File.WriteAllTextAsync(Path.Combine(whole + ".partial", "units.parquet"), "half", Ct);
        using (var export = Export(Folder.Out, "--parquet", parquet, "--arrow", arrow))
        {
            var ended = await export.EndAsync();
            ended.Well();
            Assert.Contains("1 exported, 0 were there, 0 failed", ended.Output, StringComparison.Ordinal);
        }

        Assert.Equal([whole], Directory.GetDirectories(parquet));
        using var facts = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(whole, "match.json"), Ct));
        var rows = facts.RootElement.GetProperty("tables").GetProperty("rows").EnumerateObject()
            .ToDictionary(row => row.Name, row => row.Value.GetInt32());
        var seen = Observations();
        var units = seen.SelectMany(one => one.Observation.RawData.Units).ToList();
        Assert.Equal(
            (60, units.Count, units.Sum(unit => unit.Orders.Count), units.Sum(unit => unit.BuffIds.Count)),
            (rows["players"], rows["units"], rows["orders"], rows["buff_ids"]));
        using var recording = RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        Assert.Equal(recording.ReadData()!.Units.Count(type => type.Name.Length > 0), rows["unit_types"]);
        Assert.InRange(rows["abilities"], 100, recording.ReadData()!.Abilities.Count);
        Assert.InRange(rows["upgrades"], 50, recording.ReadData()!.Upgrades.Count);
        Assert.Equal(
            (2, RecordingFormat.Library), (facts.RootElement.GetProperty("schema").GetInt32(), facts.RootElement.GetProperty("bridge").GetString()));
        var match = facts.RootElement.GetProperty("match");
        Assert.Equal(recording.Description.Seed, match.GetProperty("seed").GetUInt32());
        Assert.Equal(recording.Description.Ping.GameVersion, match.GetProperty("game_version").GetString());
        Assert.Equal(
            [("Terran", null), ("Zerg", (string?)null)],
            match.GetProperty("players").EnumerateArray().Select(one => (one.GetProperty("race").GetString()!, one.GetProperty("result").GetString())));
        foreach (var (file, sign) in new[] { (Path.Combine(whole, "units.parquet"), "PAR1"), (Path.Combine(arrow, "match=match", "units.arrow"), "ARROW1") })
        {
            var bytes = await File.ReadAllBytesAsync(file, Ct);
            Assert.Equal(sign, System.Text.Encoding.ASCII.GetString(bytes[^sign.Length..]));
        }

        using (var again = Export(Folder.Out, "--parquet", parquet, "--arrow", arrow))
        {
            Assert.Contains("0 exported, 1 were there, 0 failed", (await again.EndAsync()).Output, StringComparison.Ordinal);
        }

        // An export by an older version is replaced.
        var older = (await File.ReadAllTextAsync(Path.Combine(whole, "match.json"), Ct)).Replace("\"schema\": 2", "\"schema\": 1", StringComparison.Ordinal);
        await File.WriteAllTextAsync(Path.Combine(whole, "match.json"), older, Ct);
        using var newer = Export(Folder.Out, "--parquet", parquet);
        Assert.Contains("1 exported, 0 were there, 0 failed", (await newer.EndAsync()).Output, StringComparison.Ordinal);
    }

    [Fact]
    [Trait("ThirdParty", "DuckDB, hyparquet")]
    [Trait("Needs", "node")]
    public Task DuckDB_and_hyparquet_find_the_content_of_the_observations() => CountedAsync("--steps", "60");

    [Fact]
    [Trait("ThirdParty", "DuckDB, hyparquet, real messages")]
    [Trait("Needs", "node")]
    [Trait("Needs", "real")]
    public Task DuckDB_and_hyparquet_find_the_content_of_every_real_message() =>
        CountedAsync("--observations", SharedFolder.Folder("data/real"));

    private async Task CountedAsync(params string[] match)
    {
        (await Folder.PlayAsync(match)).Well();
        using var export = Export(Folder.Out, "--parquet", Folder.Path);
        (await export.EndAsync()).Well();
        var seen = Observations();
        var units = seen.ConvertAll(one => one.Observation.RawData.Units);
        var read = await PeerEnvironment.RunAsync(
            "node",
            [Path.Combine(PeerEnvironment.RepositoryRoot, "bridge-csharp", "test", "Functional", "read_tables.js"), Path.Combine(Folder.Path, "match=match")],
            new Dictionary<string, string> { ["NODE_PATH"] = PeerEnvironment.NodeModules() },
            Ct);
        var readers = read.Json().EnumerateArray().ToList();
        using var recording = RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        var scvs = recording.ReadData()!.Units.Where(type => type.Name == "SCV").Select(type => type.UnitId).ToHashSet();
        Assert.Equal(2, readers.Count);
        foreach (var reader in readers)
        {
            var counted = reader.GetProperty("counted");
            Assert.Equal(seen.Count, counted.GetProperty("players").GetInt32());
            Assert.Equal(units.Sum(all => all.Sum(unit => unit.Orders.Count)), counted.GetProperty("orders").GetInt32());
            Assert.Equal(units.Sum(all => all.Sum(unit => unit.BuffIds.Count)), counted.GetProperty("buff_ids").GetInt32());
            Assert.Equal(units.Sum(all => all.Count(unit => scvs.Contains(unit.UnitType))), counted.GetProperty("scvs").GetInt32());
            Assert.Equal(
                units.Where(all => all.Count > 0).Select(all => (
                    all.Count, all.Count(unit => unit.Alliance == Alliance.Self), Math.Round(all.Sum(unit => (double)unit.Health), 3))),
                reader.GetProperty("steps").EnumerateArray().Select(row => (
                    row[1].GetInt32(), row[2].GetInt32(), Math.Round(row[3].GetDouble(), 3))));
        }
    }

    [Fact]
    public async Task Another_recording_of_the_same_size_is_exported_again()
    {
        var recording = Path.Combine(Folder.Path, "a.mcap");
        var (first, second) = (SampleRecording.MakeWith(name => name + "a").Bytes, SampleRecording.MakeWith(name => name + "b").Bytes);
        Assert.Equal(first.Length, second.Length);
        foreach (var (bytes, map) in new[] { (first, "mapa"), (second, "mapb") })
        {
            await File.WriteAllBytesAsync(recording, bytes, Ct);
            using var export = Export(recording, "--parquet", Folder.Path);
            Assert.Contains("1 exported, 0 were there, 0 failed", (await export.EndAsync()).Output, StringComparison.Ordinal);
            using var facts = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(Folder.Path, "match=a", "match.json"), Ct));
            Assert.Equal(map, facts.RootElement.GetProperty("map").GetString());
        }
    }

    [Fact]
    public async Task The_result_of_each_player_is_exported()
    {
        (await Folder.PlayAsync("--scenario", "3m", "--player", "computer:terran:Easy", "--player", "computer:terran:VeryHard")).Well();
        using var export = Export(Folder.Out, "--parquet", Folder.Path);
        (await export.EndAsync()).Well();
        using var facts = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(Folder.Path, "match=match", "match.json"), Ct));
        var players = facts.RootElement.GetProperty("match").GetProperty("players").EnumerateArray();
        Assert.Equal(["Defeat", "Victory"], players.Select(one => one.GetProperty("result").GetString()).Order());
    }

    [Fact]
    public async Task Missing_player_values_of_an_observation_are_null()
    {
        var recording = Path.Combine(Folder.Path, "a.mcap");
        await File.WriteAllBytesAsync(recording, SampleRecording.Make(20).Bytes, Ct);
        using var export = Export(recording, "--parquet", Folder.Path, "--arrow", Path.Combine(Folder.Path, "arrow"));
        (await export.EndAsync()).Well();
        await using var parquet = await Parquet.ParquetReader.CreateAsync(Path.Combine(Folder.Path, "match=a", "players.parquet"), cancellationToken: Ct);
        var minerals = parquet.Schema.GetDataFields().Single(field => field.Name == "minerals");
        Assert.True(minerals.IsNullable);
        using var rows = parquet.OpenRowGroupReader(0);
        var read = new uint?[20];
        await rows.ReadAsync<uint>(minerals, read.AsMemory(), cancellationToken: Ct);
        Assert.All(read, value => Assert.Null(value));

        using var arrow = new Apache.Arrow.Ipc.ArrowFileReader(File.OpenRead(Path.Combine(Folder.Path, "arrow", "match=a", "players.arrow")));
        using var batch = await arrow.ReadNextRecordBatchAsync(Ct);
        Assert.Equal((20, 20), (batch.Column("minerals").Length, batch.Column("minerals").NullCount));
        Assert.Equal(0, batch.Column("step").NullCount);
    }

    [Fact]
    public async Task If_one_table_cannot_be_closed_the_others_are_still_closed()
    {
        var files = new[] { new ClosedFile(fails: false), new ClosedFile(fails: true), new ClosedFile(fails: false) };
        await Assert.ThrowsAsync<IOException>(() => Tables.RecordingTables.DisposeAsync(files));
        Assert.All(files, file => Assert.True(file.IsDisposed));
    }

    [Theory]
    [InlineData("cut", "the file is cut off")]
    [InlineData("damaged", "a chunk is damaged")]
    public async Task A_damaged_recording_is_exported_up_to_the_damage(string name, string damage)
    {
        var file = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", $"{name}.mcap");
        using var facts = JsonDocument.Parse(await File.ReadAllTextAsync(Path.ChangeExtension(file, "json"), Ct));
        var whole = facts.RootElement.GetProperty("frames").EnumerateObject().Sum(frames => frames.Value.GetArrayLength());
        foreach (var exported in new[] { "1 exported, 0 were there", "0 exported, 1 were there" })
        {
            var json = Path.Combine(Folder.Path, $"{exported}.json");
            using var export = Export(file, "--parquet", Folder.Path, "--json", json);
            var ended = await export.EndAsync();
            using var report = JsonDocument.Parse(await File.ReadAllTextAsync(json, Ct));
            Assert.Contains(damage, report.RootElement.GetProperty("matches")[0].GetProperty("problem").GetString(), StringComparison.Ordinal);
            ended.Says(1, $"sc2bridge: the tables of {name} end with game loop ", "because the recording is not whole: ", damage);
            Assert.Contains($"{exported}, 0 failed, 1 not whole (the recordings are damaged), in ", ended.Output, StringComparison.Ordinal);
        }

        await using var players = await Parquet.ParquetReader.CreateAsync(
            Path.Combine(Folder.Path, $"match={name}", "players.parquet"), cancellationToken: Ct);
        using var rows = players.OpenRowGroupReader(0);
        Assert.Equal(whole, rows.RowCount);
    }

    [Fact]
    public async Task An_export_that_fails_is_one_line()
    {
        using var nowhere = Export(Folder.Path);
        (await nowhere.EndAsync()).Says(2, "choose a folder for the tables");
        using var empty = Export(Folder.Path, "--parquet", Folder.Path);
        (await empty.EndAsync()).Says(2, "no recordings (.mcap) found");
    }

    private static BridgeProcess Export(params IEnumerable<string> words) => BridgeProcess.Start(words.Prepend("export"));

    private List<ResponseObservation> Observations()
    {
        using var recording = RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        using var reader = recording.Observations();
        var seen = new List<ResponseObservation>();
        while (reader.Next(out var observation))
        {
            seen.Add(ResponseObservation.Parser.ParseFrom(observation.Bytes.Span));
        }

        return seen;
    }

    private sealed class ClosedFile(bool fails) : Tables.TableFile
    {
        public bool IsDisposed { get; private set; }

        public override ValueTask DisposeAsync()
        {
            IsDisposed = true;
            return fails ? throw new IOException("No space left on device") : ValueTask.CompletedTask;
        }

        internal override Task WriteAsync(Tables.Table table, CancellationToken ct) => Task.CompletedTask;
    }
}

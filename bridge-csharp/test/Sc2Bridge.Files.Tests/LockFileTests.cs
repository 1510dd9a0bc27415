namespace Sc2Bridge.Files.Tests;

public sealed class LockFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-files-").FullName;

    private string Lock => Path.Combine(_folder, "a.lock");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_lock_is_held_until_it_is_released()
    {
        Assert.False(LockFile.IsHeld(Lock));
        using (var held = LockFile.TryAcquire(Lock))
        {
            Assert.NotNull(held);
            Assert.True(LockFile.IsHeld(Lock));
            Assert.Null(LockFile.TryAcquire(Lock));
            Assert.StartsWith(
                $"process {Environment.ProcessId} on {Environment.MachineName} holds {Lock}", LockFile.DescribeOwner(Lock),
                StringComparison.Ordinal);
            held.WriteNote("recording", "/a=b.mcap");
            Assert.Equal("/a=b.mcap", LockFile.ReadNote(Lock, "recording"));
        }

        Assert.Empty(Directory.GetFileSystemEntries(_folder));
        LockFile.TryAcquire(Lock)!.Dispose();
    }

    [Fact]
    public void A_note_is_replaced_in_place()
    {
        using (var held = LockFile.TryAcquire(Lock)!)
        {
            held.WriteNote("mode", "Failed");
            held.WriteNote("recording", "/é.mcap");
            var length = new FileInfo(Lock).Length;
            held.ReplaceNote("mode", "Never");
            held.ReplaceNote("missing", "x");
            Assert.Throws<ArgumentOutOfRangeException>(() => held.ReplaceNote("mode", "longer than before"));
            Assert.Equal(
                ("Never ", "/é.mcap", length), (LockFile.ReadNote(Lock, "mode"), LockFile.ReadNote(Lock, "recording"), new FileInfo(Lock).Length));
        }

        Assert.Empty(Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public void The_lock_of_a_process_that_has_ended_is_taken_over()
    {
        LockOwner[] ended =
        [
            LockOwner.ForThisProcess() with { Process = int.MaxValue },

            // Another process now has the owner's process ID.
            LockOwner.ForThisProcess() with { StartTime = "0" },
        ];
        foreach (var owner in ended)
        {
            File.WriteAllText(Lock, owner.ToText());
            Assert.False(LockFile.IsHeld(Lock));
            using var held = LockFile.TryAcquire(Lock);
            Assert.NotNull(held);
            Assert.True(LockFile.IsHeld(Lock));
            Assert.Equal([Lock], Directory.GetFileSystemEntries(_folder));
        }
    }

    [Fact]
    public void The_lock_of_an_earlier_boot_is_taken_over_if_the_machine_is_certainly_the_same()
    {
        var own = LockOwner.ForThisProcess();
        Assert.Equal(!own.Machine.EndsWith('/'), (own with { BootId = "earlier" }).HasEnded);
    }

    [Fact]
    public void A_lock_whose_process_may_run_is_held()
    {
        var own = LockOwner.ForThisProcess();
        string[] texts =
        [
            own.ToText(),
            (own with { Machine = "elsewhere/1", Process = int.MaxValue }).ToText(),

            // The machine sees its process under that number.
            (own with { PidNamespace = "pid:[1]" }).ToText(),
            "",
            "junk\n",
            (own with { Process = int.MaxValue }).ToText().Replace("key=", "key=../", StringComparison.Ordinal),
        ];
        foreach (var text in texts)
        {
            File.WriteAllText(Lock, text);
            Assert.True(LockFile.IsHeld(Lock), text);
            Assert.Null(LockFile.TryAcquire(Lock));
            Assert.Equal(text, File.ReadAllText(Lock));
        }
    }

    [Fact]
    public void The_lock_of_a_container_that_has_ended_is_taken_over_by_the_machine()
    {
        var own = LockOwner.ForThisProcess();
        Assert.SkipUnless(own.PidNamespace == "pid:[4026531836]", "these tests run in a container, which sees no other");
        var ended = own with { Machine = "0123456789ab/", PidNamespace = "pid:[1]", Process = int.MaxValue };
        File.WriteAllText(Lock, ended.ToText());
        Assert.Null(LockFile.DescribeIfUncertain(Lock));
        Assert.False(LockFile.IsHeld(Lock));
        LockFile.TryAcquire(Lock)!.Dispose();
        Assert.Empty(Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public void A_lock_is_in_doubt_if_its_process_cannot_be_looked_for()
    {
        var own = LockOwner.ForThisProcess();
        File.WriteAllText(Lock, own.ToText());
        Assert.Null(LockFile.DescribeIfUncertain(Lock));
        File.WriteAllText(Lock, (own with { Machine = "elsewhere/1", BootId = "another", Process = 7 }).ToText());
        Assert.Equal($"process 7 on elsewhere holds {Lock}: delete that file if the process has ended", LockFile.DescribeIfUncertain(Lock));

        // The owner is just writing the file.
        File.WriteAllText(Lock, "");
        Assert.Null(LockFile.DescribeIfUncertain(Lock));
    }

    [Fact]
    public void A_link_in_the_place_of_a_lock_is_not_followed()
    {
        var victim = Path.Combine(_folder, "victim");
        File.CreateSymbolicLink(Lock, victim);
        Assert.Null(LockFile.TryAcquire(Lock));
        Assert.False(File.Exists(victim));
    }

    [Fact]
    public void Of_many_who_take_a_stale_lock_over_one_holds_it()
    {
        for (var round = 0; round < 50; round++)
        {
            File.WriteAllText(Lock, (LockOwner.ForThisProcess() with { Process = int.MaxValue }).ToText());
            var (holders, most, taken) = (0, 0, 0);
            Parallel.For(0, 16, new ParallelOptions { MaxDegreeOfParallelism = 16 }, _ =>
            {
                using var held = LockFile.TryAcquire(Lock);
                if (held is not null)
                {
                    Interlocked.Increment(ref taken);
                    var now = Interlocked.Increment(ref holders);
                    most = Math.Max(most, now);
                    Thread.Yield();
                    Interlocked.Decrement(ref holders);
                }
            });
            Assert.Equal(1, most);
            Assert.InRange(taken, 1, 16);
            Assert.Empty(Directory.GetFileSystemEntries(_folder));
        }
    }

    [Fact]
    public void A_lock_that_a_person_deleted_and_another_took_stays_the_others()
    {
        var first = LockFile.TryAcquire(Lock)!;
        File.Delete(Lock);
        using var second = LockFile.TryAcquire(Lock);
        first.Dispose();
        Assert.True(LockFile.IsHeld(Lock));
    }

    [Fact]
    public void A_lock_that_is_left_stays_when_it_is_disposed()
    {
        using (var held = LockFile.TryAcquire(Lock)!)
        {
            held.KeepFile();
        }

        Assert.True(File.Exists(Lock));
    }
}

using System.Collections.Concurrent;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Results in a bucket of an S3-compatible store, which renames nothing: files go to <c>ID/WORKER/</c>, and then
/// <c>ID/result.json</c> names that folder, which the store takes once (<c>If-None-Match: *</c>). Who connects, and where to,
/// is the environment's, as Amazon's tools read it.
/// </summary>
internal sealed partial class BucketStore : ResultStore
{
    /// <summary>What an address begins with.</summary>
    internal const string Scheme = "s3://";

    // The end of an object's name that says that a worker has begun a job. It is put, as a result is, before the match is
    // played, so that a store that refuses results is found out early.
    private const string BegunMark = ".begun";

    private const int ReadAtOnce = 16;

    private static readonly TimeSpan _longestConnect = TimeSpan.FromSeconds(5);

    private const int MostTries = 5;

    private static readonly TimeSpan _pauseOfTries = TimeSpan.FromMilliseconds(200);

    // A page of 1000 names, for which some stores look through many more.
    private static readonly TimeSpan _longestList = TimeSpan.FromMinutes(1);

    private readonly string _bucket;
    private readonly string _prefix;
    private readonly string? _endpoint;
    private readonly Lazy<AmazonS3Client> _client;
    private readonly Lazy<string> _scratch = new(() => Directory.CreateTempSubdirectory("sc2bridge-work-").FullName);

    /// <summary>Reads an address.</summary>
    /// <param name="where"><c>s3://BUCKET/PREFIX</c>.</param>
    /// <param name="worker">Who makes results.</param>
    /// <param name="endpoint">The store's URL; null: as the environment has it.</param>
    /// <param name="credentials">Who connects; null: as the environment has it.</param>
    /// <exception cref="ResultStoreException">The address names no bucket.</exception>
    internal BucketStore(string where, string worker, string? endpoint = null, AWSCredentials? credentials = null)
        : base(worker)
    {
        var parts = where[Scheme.Length..].Split('/', 2);
        if (!BucketName().IsMatch(parts[0]))
        {
            // Not repeated: somebody may have written a key into it.
            throw new ResultStoreException("that is no bucket: write s3://BUCKET or s3://BUCKET/PREFIX, and keys into the environment");
        }

        _bucket = parts[0];
        _prefix = parts.Length > 1 && parts[1].Trim('/') is { Length: > 0 } prefix ? $"{prefix}/" : "";
        _endpoint = endpoint ?? Variable("AWS_ENDPOINT_URL_S3") ?? Variable("AWS_ENDPOINT_URL");
        _client = new Lazy<AmazonS3Client>(() => Connect(credentials));
    }

    /// <summary>How long a request may take, with its repetitions.</summary>
    internal TimeSpan LongestRequest { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the store may take none of a file's bytes. The whole file, sent in one request, may take longer.</summary>
    internal TimeSpan LongestSilence { get; init; } = TimeSpan.FromMinutes(4);

    /// <summary>The address, with the endpoint's host and port; its user and password, if it names them, are left out.</summary>
    public override string ToString() => $"{Scheme}{_bucket}/{_prefix}".TrimEnd('/')
        + (Uri.TryCreate(_endpoint, UriKind.Absolute, out var at) ? $" at {at.Host}:{at.Port}" : "");

    /// <inheritdoc/>
    public override Task OpenAsync(CancellationToken ct) => AskAsync(LongestRequest, (client, end) => client.ListObjectsV2Async(
        new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix, MaxKeys = 1 }, end), ct);

    /// <inheritdoc/>
    public override async Task<bool> HasAsync(string id, CancellationToken ct)
    {
        try
        {
            await AskAsync(LongestRequest, (client, end) => client.GetObjectMetadataAsync(_bucket, Key(id, ResultFile), end), ct);
            return true;
        }
        catch (ResultStoreException none) when (none.InnerException is AmazonS3Exception { StatusCode: HttpStatusCode.NotFound })
        {
            return false;
        }
    }

    /// <inheritdoc/>
    public override async Task<string> BeginAsync(string id, CancellationToken ct)
    {
        var folder = MakeFolder(_scratch.Value, id);
        try
        {
            await PutOnceAsync(BegunKey(folder), "", "text/plain", ct);
        }
        catch
        {
            await EndAsync(folder);
            throw;
        }

        return folder;
    }

    /// <inheritdoc/>
    public override async Task PublishAsync(string folder, JobResult result, CancellationToken ct)
    {
        var id = result.Job.Id;
        if (!await HasAsync(id, ct))
        {
            var own = Path.GetFileName(folder);
            foreach (var file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
            {
                var name = Path.GetRelativePath(folder, file).Replace(Path.DirectorySeparatorChar, '/');

                // Opened here: that a file cannot be read is not the store's fault.
                await using var content = File.OpenRead(file);
                var put = new PutObjectRequest { Key = Key(id, $"{own}/{name}"), InputStream = content, AutoCloseStream = false };

                // Not disposed: the library reports progress on a thread of its own, perhaps after the end.
                var silence = new CancellationTokenSource(LongestSilence);
                put.StreamTransferProgress += (_, _) => silence.CancelAfter(LongestSilence);
                await PutAsync(Timeout.InfiniteTimeSpan, put, ct, silence.Token);
            }

            await PutOnceAsync(Key(id, ResultFile), Jobs.Text(new JobResult(result) { Folder = own }) + "\n", "application/json", ct);
        }

        if (!await HasAsync(id, ct))
        {
            throw new ResultStoreException($"{this} did not keep the result of {id}, and has none: look who deletes there");
        }

        await ClearAsync(id, ct);
    }

    /// <inheritdoc/>
    public override async Task ClearAsync(string id, CancellationToken ct)
    {
        try
        {
            // Without a result, what is there may become one.
            if (await ReadAsync(id, ct) is { } result)
            {
                // Of a result that names no folder, as a copy of one that was made in a folder, all is its own.
                var own = Key(id, result.Folder.Length > 0 ? $"{result.Folder}/" : "");
                await foreach (var key in KeysAsync(Key(id, ""), ct))
                {
                    if (key != Key(id, ResultFile) && !key.StartsWith(own, StringComparison.Ordinal))
                    {
                        await DeleteAsync(key, ct);
                    }
                }
            }
        }
        catch (ResultStoreException)
        {
            // As where somebody may not delete: who finds the result next may.
        }
    }

    /// <inheritdoc/>
    public override async Task EndAsync(string folder)
    {
        DeleteFolder(folder);
        try
        {
            // Files that went up stay until the job has a result: it may be theirs, where the answer was lost.
            await DeleteAsync(BegunKey(folder), CancellationToken.None);
        }
        catch (ResultStoreException)
        {
            // The mark stays too, and goes when the job has a result.
        }
    }

    /// <inheritdoc/>
    public override async Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAsync(CancellationToken ct)
    {
        var (begun, done) = (new HashSet<string>(StringComparer.Ordinal), new List<string>());
        await foreach (var key in KeysAsync(_prefix, ct))
        {
            if (key[_prefix.Length..].Split('/', 2) is [var id, var name])
            {
                begun.Add(id);
                if (name == ResultFile)
                {
                    done.Add(id);
                }
            }
        }

        var results = new ConcurrentBag<JobResult>();
        await Parallel.ForEachAsync(
            done, new ParallelOptions { MaxDegreeOfParallelism = ReadAtOnce, CancellationToken = ct }, async (id, stop) =>
            {
                if (await ReadAsync(id, stop) is { } result)
                {
                    results.Add(result);
                }
            });
        return ([.. results], begun.Count - done.Count);
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        if (_client.IsValueCreated)
        {
            _client.Value.Dispose();
        }

        try
        {
            if (_scratch.IsValueCreated)
            {
                Directory.Delete(_scratch.Value, recursive: true);
            }
        }
        catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
        {
            // Somebody took it away, or has a file of it open.
        }
    }

    private static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;

    private string Key(string id, string name) => $"{_prefix}{id}/{name}";

    private string BegunKey(string folder) =>
        Key(Path.GetFileName(Path.GetDirectoryName(folder)!), Path.GetFileName(folder) + BegunMark);

    // Null where there is none.
    private async Task<JobResult?> ReadAsync(string id, CancellationToken ct)
    {
        try
        {
            return await AskAsync(
                LongestRequest,
                async (client, end) =>
                {
                    using var answer = await client.GetObjectAsync(_bucket, Key(id, ResultFile), end);
                    using var text = new StreamReader(answer.ResponseStream, Encoding.UTF8);
                    return Read(await text.ReadToEndAsync(end), $"{Scheme}{_bucket}/{Key(id, ResultFile)}");
                },
                ct);
        }
        catch (ResultStoreException none) when (none.InnerException is AmazonS3Exception { ErrorCode: "NoSuchKey" })
        {
            return null;
        }
    }

    private async IAsyncEnumerable<string> KeysAsync(
        string prefix, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct)
    {
        var request = new ListObjectsV2Request { BucketName = _bucket, Prefix = prefix };
        do
        {
            var page = await AskAsync(_longestList, (client, end) => client.ListObjectsV2Async(request, end), ct);
            foreach (var found in page.S3Objects ?? [])
            {
                yield return found.Key;
            }

            request.ContinuationToken = page.NextContinuationToken;
        }
        while (request.ContinuationToken is not null);
    }

    // Unless there is one of that name.
    private async Task PutOnceAsync(string key, string text, string type, CancellationToken ct)
    {
        for (var tries = 1; ; tries++)
        {
            try
            {
                // The library closes what it sent: each time a request of its own.
                var put = new PutObjectRequest { Key = key, ContentBody = text, ContentType = type, IfNoneMatch = "*" };
                await PutAsync(LongestRequest, put, ct);
                return;
            }
            catch (ResultStoreException refused) when (Status(refused) == HttpStatusCode.PreconditionFailed)
            {
                // Somebody else was quicker, or this was taken, the answer lost and asked for again.
                return;
            }
            catch (ResultStoreException refused) when (Status(refused) == HttpStatusCode.Conflict && tries < MostTries)
            {
                // Another request for the same name is not through yet: who was first is not settled.
                await Task.Delay(_pauseOfTries, ct);
            }
        }

        static HttpStatusCode? Status(ResultStoreException refused) => (refused.InnerException as AmazonS3Exception)?.StatusCode;
    }

    private Task<PutObjectResponse> PutAsync(
        TimeSpan longest, PutObjectRequest request, CancellationToken ct, CancellationToken silence = default)
    {
        request.BucketName = _bucket;

        // In Amazon's own framing by default, which not every other store takes off.
        request.UseChunkEncoding = false;
        return AskAsync(longest, (client, end) => client.PutObjectAsync(request, end), ct, silence);
    }

    private Task<DeleteObjectResponse> DeleteAsync(string key, CancellationToken ct) =>
        AskAsync(LongestRequest, (client, end) => client.DeleteObjectAsync(_bucket, key, end), ct);

    private async Task<T> AskAsync<T>(
        TimeSpan longest, Func<AmazonS3Client, CancellationToken, Task<T>> ask, CancellationToken ct,
        CancellationToken silence = default)
    {
        using var time = CancellationTokenSource.CreateLinkedTokenSource(ct, silence);
        time.CancelAfter(longest);
        try
        {
            return await ask(_client.Value, time.Token);
        }
        catch (AmazonS3Exception failure) when (failure.ErrorCode is "EntityTooLarge" or "KeyTooLongError")
        {
            // No store would take it: the job's failure, which is not tried for ever.
            throw new IOException($"{this} takes no file so large, or no name so long ({failure.ErrorCode})", failure);
        }
        catch (Exception failure) when (failure
            is AmazonServiceException or AmazonClientException or HttpRequestException or IOException or TimeoutException
            or OperationCanceledException)
        {
            ct.ThrowIfCancellationRequested();
            throw new ResultStoreException($"{this} {Explain(failure)}", failure);
        }
    }

    private AmazonS3Client Connect(AWSCredentials? credentials)
    {
        var settings = new AmazonS3Config
        {
            ConnectTimeout = _longestConnect,
            Timeout = Timeout.InfiniteTimeSpan,

            // Not every other store knows the checksums that Amazon's own takes.
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
        };
        if (_endpoint is not null)
        {
            if (!Uri.TryCreate(_endpoint, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            {
                throw new ResultStoreException(
                    $"{this} cannot be asked: AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL, is no URL: write https://HOST or https://HOST:PORT");
            }

            // A store of one's own has as a rule no name for each bucket, and no regions.
            settings.ServiceURL = _endpoint;
            settings.ForcePathStyle = true;
            settings.AuthenticationRegion = Variable("AWS_REGION") ?? Variable("AWS_DEFAULT_REGION") ?? "us-east-1";
        }

        return credentials is null ? new AmazonS3Client(settings) : new AmazonS3Client(credentials, settings);
    }

    // Codes: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html. The library's own messages may repeat what was sent.
    private static string Explain(Exception failure) => failure switch
    {
        AmazonS3Exception { ErrorCode: "NoSuchBucket" } => "is not there: make the bucket, or name another",
        AmazonS3Exception { ErrorCode: "PermanentRedirect" or "AuthorizationHeaderMalformed" or "IllegalLocationConstraintException" } told =>
            $"is in another region ({told.ErrorCode}): set AWS_REGION to the bucket's",
        AmazonS3Exception { StatusCode: HttpStatusCode.Forbidden or HttpStatusCode.Unauthorized } told =>
            $"does not let you in ({told.ErrorCode}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of somebody who may list, read, "
            + "write and delete there",
        AmazonS3Exception { ErrorCode: "NotImplemented" } =>
            "does not know If-None-Match, by which it would keep one result of a job (NotImplemented): name another store",
        AmazonS3Exception { ErrorCode.Length: > 0 } told => $"refuses ({told.ErrorCode}): look into the store's log",
        AmazonClientException => "cannot be asked: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_REGION or, of a store that "
            + "is not Amazon's, AWS_ENDPOINT_URL_S3",
        _ => $"does not answer ({BrokerAddress.Cause(failure)}): see that it runs, and that AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL and "
            + "AWS_REGION name it",
    };

    // docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    [GeneratedRegex(@"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\z")]
    private static partial Regex BucketName();
}
